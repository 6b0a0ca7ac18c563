// SPDX-License-Identifier: Apache-2.0

// engines/mysql/options.h - what a mysql:// URL says.
//
//   mysql://[user[:password]@]host[:3306]/database[?option=value&...]
//   mysql://user@/database?socket=/run/mysqld/mysqld.sock
//
// docs/engines/mysql.md lists the options.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/secret.h"
#include "base/uri.h"
#include "holdfast/result.h"

namespace holdfast::mysql {

enum class LockMethod : std::uint8_t {
  hybrid,   // rows decide, and GET_LOCK wakes waiters
  rows,     // only rows
  getlock,  // only GET_LOCK, under the names as they are
};

enum class Tls : std::uint8_t { off, encrypt, verify };

struct Options {
  std::vector<base::Host> hosts;  // tried in this order
  std::string socket;             // a path, instead of hosts
  std::string database;
  LockMethod mode = LockMethod::hybrid;
  std::string user;
  base::Secret password;  // of the URL, ?password_file=, or $HOLDFAST_PASSWORD
  Tls tls = Tls::off;     // by default verify, unless the server is on this host
  std::string ca_file;    // ?ca=FILE; empty means the system's
  std::string cert_file;  // ?cert=FILE, with ?key=FILE: the client's identity
  std::string key_file;

  std::string spelt() const;  // "db1:3306,db2:3306", for messages
};

// Errc::bad_url (or bad_config) names the part that is wrong and never shows a
// password. Errc::denied: the password file cannot be read.
Result<Options> read_options(const base::Uri& uri);

}  // namespace holdfast::mysql

// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/options.h - what a zookeeper:// URL says.
//
//   zookeeper://[user:password@]h1[:2181],h2[:2181]...[/chroot][?option=value&...]
//
// docs/engines/zookeeper.md lists the options.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/secret.h"
#include "base/uri.h"
#include "holdfast/result.h"

namespace holdfast::zookeeper {

struct Options {
  std::vector<base::Host> hosts;
  std::string root;        // the chroot, "/app", or empty
  bool raw_names = false;  // ?names=raw: a name is a path, as peers spell it
  bool hand_over = false;  // ?hand_over=yes: holders in one process share a token
  // ?tick_time=2s: the servers' tickTime, or nullopt if it is not known.
  std::optional<std::chrono::milliseconds> tick_time = {};
  std::string user;       // digest authentication; empty means none
  base::Secret password;  // from the URL, ?password_file=, or $HOLDFAST_PASSWORD

  std::string spelt() const;  // "h1:2181,h2:2181", for the library and for messages
};

// Errc::bad_url (or bad_config) names the part that is wrong and never shows a
// password. Errc::unsupported: zookeepers://. Errc::denied: the password file cannot be
// read.
Result<Options> read_options(const base::Uri& uri);

}  // namespace holdfast::zookeeper

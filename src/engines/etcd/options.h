// SPDX-License-Identifier: Apache-2.0

// engines/etcd/options.h - what an etcd:// URL says.
//
//   etcd://[user:password@]h1[:2379],h2[:2379]...[/prefix][?option=value&...]
//   etcds://...                         over TLS, chain and host name verified
//
// docs/engines/etcd.md lists the options.

#pragma once

#include <string>
#include <vector>

#include "base/secret.h"
#include "base/tls_options.h"
#include "base/uri.h"
#include "holdfast/result.h"

namespace holdfast::etcd {

struct Options {
  std::vector<base::Host> hosts;
  std::string root;        // before every name: "/app/locks/", or empty
  bool raw_names = false;  // ?names=raw: a name is a key, as peers spell it
  bool hand_over = false;  // ?hand_over=yes: holders in one process share a token
  base::TlsOptions tls;
  std::string user;       // empty means none
  base::Secret password;  // from the URL, ?password_file=, or $HOLDFAST_PASSWORD

  std::string spelt() const;  // "h1:2379,h2:2379", for messages
};

// Errc::bad_url (or bad_config) names the part that is wrong and never shows a
// password. Errc::denied: the password file cannot be read.
Result<Options> read_options(const base::Uri& uri);

}  // namespace holdfast::etcd

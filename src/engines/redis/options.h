// SPDX-License-Identifier: Apache-2.0

// engines/redis/options.h - what a redis:// URL says.
//
//   redis://[user[:password]@]host[:6379][/db][?option=value&...]
//   rediss://...                        over TLS, chain and host name verified
//   redis:///run/redis/redis.sock       a unix socket; ?db=2 picks the database
//   redis+cluster://host,host,...       some servers of a Redis Cluster
//   rediss+cluster://host,host,...      the same over TLS
//   redis+sentinel://host[:26379],host,.../name
//                                       the primary that these sentinels call by that
//                                       name; rediss+sentinel:// with TLS to all of
//                                       them
//
// docs/engines/redis.md lists the options.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/secret.h"
#include "base/tls_options.h"
#include "base/uri.h"
#include "holdfast/result.h"

namespace holdfast::redis {

enum class LockLayout : std::uint8_t { redisson, string };
enum class SemaphoreLayout : std::uint8_t { leased, plain };

// A ServerName is what messages say of a server that has answered.
struct ServerName {
  std::string called;        // such as "Redis at 127.0.0.1:6379"
  bool fails_over = false;   // Sentinels or a cluster choose another primary.
  bool is_sentinel = false;  // It is a sentinel itself.
};

// An endpoint is the server's address, with what the client needs to be admitted.
struct Endpoint {
  base::Host host{"127.0.0.1", 6379};
  std::string socket;  // a unix socket's path; empty means host
  base::TlsOptions tls;
  std::string user;       // empty means the default user
  base::Secret password;  // of the URL, ?password_file=, or $HOLDFAST_PASSWORD
  int db = 0;
  std::string client_name = "holdfast";  // ?client_name=

  bool sentinels = false;    // It was found by sentinels, or is one: the URL's scheme
                             // has the form redis+sentinel.
  bool is_sentinel = false;  // It is a sentinel itself.
  bool in_cluster = false;   // The URL's scheme has the form redis+cluster.

  std::string spelt() const;   // for messages, such as "127.0.0.1:6379"
  std::string called() const;  // the same, such as "Redis at 127.0.0.1:6379"
  ServerName name() const;
  // Returns how its URL would start with or without TLS, such as "rediss://".
  std::string scheme(bool with_tls) const;
};

// A server that others name is named by an address that may not be the one that leads
// to it from here.
struct AddressPair {
  base::Host announced;
  base::Host reached;
};

// Returns the address that leads to what is announced by this one.
base::Host reached_by(const std::vector<AddressPair>& nat, const base::Host& announced);

struct ClusterOptions {
  std::vector<base::Host> servers;  // some of the cluster's servers
  std::vector<AddressPair> nat;     // ?nat=announced=reached,...

  // Returns for messages "the Redis Cluster at 10.0.0.1:7000,10.0.0.2:7000".
  std::string called() const;
};

// Acks says how many replicas must confirm a lock before it counts as granted.
struct Acks {
  int number = 0;         // ?ack=N
  bool majority = false;  // ?ack=majority

  bool wanted() const noexcept { return majority || number > 0; }

  // Returns how many of a primary's replicas these are. A majority is one of all
  // servers, the primary among them: with one or two replicas it needs one of them.
  int of(int replicas) const noexcept {
    return majority ? std::max(1, (replicas + 1) / 2) : number;
  }
};

// These are the sentinels of a redis+sentinel:// URL. Without hosts there are none.
struct SentinelOptions {
  std::vector<base::Host> hosts;
  std::string name;  // what the sentinels call the primary
  std::string user;  // ?sentinel_user=; empty means the default user
  // It is read from ?sentinel_password_file= or $HOLDFAST_SENTINEL_PASSWORD.
  base::Secret password;
  std::vector<AddressPair> nat;  // ?nat=announced=reached,...
};

struct Options {
  // This is where the one server is. Its host has no meaning in a cluster, and with
  // sentinels it is the name that they have for it.
  Endpoint endpoint;
  SentinelOptions sentinels;
  ClusterOptions cluster;                    // without servers there is no cluster
  LockLayout layout = LockLayout::redisson;  // ?layout=string
  SemaphoreLayout semaphore = SemaphoreLayout::leased;  // ?semaphore=plain
  Acks acks;
  std::chrono::milliseconds ack_time{1000};  // ?ack_time=
  // It is ?token_ttl=; zero means for ever.
  std::chrono::milliseconds token_ttl{0};
  // It is ?fair_wait=, with Redisson's default.
  std::chrono::milliseconds fair_wait{300'000};

  bool is_cluster() const noexcept { return !cluster.servers.empty(); }
};

// Errc::bad_url (or bad_config) names the part that is wrong and never shows a
// password. Errc::denied means that the password file cannot be read.
Result<Options> read_options(const base::Uri& uri);

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// tests/support/etcd_shell.h - reads and changes keys and leases behind a client's
// back.
//
//   EtcdShell shell(server.port());
//   shell.put("a/b", "one");
//   EXPECT_EQ(shell.get("a/b")->value, "one");
//   shell.revoke(shell.below("stock/").front().lease);   // another client's lease
//
// Keys and values are any bytes. The shell talks to the server's JSON gateway, without
// TLS.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/scale.h"

namespace holdfast::test {

struct EtcdKey {
  std::string key;
  std::string value;
  std::int64_t created = 0;  // its create_revision
  std::int64_t changed = 0;  // its mod_revision
  std::int64_t lease = 0;    // zero means that it has none
};

// Every call waits for its answer, and throws std::runtime_error, with one sentence,
// when that is an error or none comes. The class keeps no connection and is not safe
// for concurrent use.
class EtcdShell {
 public:
  explicit EtcdShell(std::uint16_t port) : port_(port) {}

  // Gives every later call this user's rights.
  void sign_on(const std::string& user, const std::string& password);

  std::optional<EtcdKey> get(std::string_view key);
  std::vector<EtcdKey> below(const std::string& prefix);  // the oldest first
  void put(std::string_view key, std::string_view value, std::int64_t lease = 0);
  bool remove(std::string_view key);  // False means that there was none.

  std::int64_t grant(std::chrono::seconds ttl);  // returns the id
  void revoke(std::int64_t lease);
  std::vector<std::int64_t> leases();

  std::int64_t revision();  // the store's revision
  void compact();           // discards the history before it
  void make_room();         // frees the compacted space, and ends the alarm of a full
                            // store
  bool leads();             // False also means that it does not answer.

  // Returns one of the metrics, such as "etcd_debugging_mvcc_watcher_total", or zero if
  // there is none.
  long figure(std::string_view name);

  // Makes any other call: `call("auth/user/add", R"({"name":"root","password":"p"})")`.
  std::string call(std::string_view what, const std::string& json = "{}",
                   std::chrono::milliseconds limit = patience());

 private:
  std::string exchange(const std::string& request,
                       std::chrono::milliseconds limit) const;

  const std::uint16_t port_;
  std::string token_;
};

}  // namespace holdfast::test

// tests/support/etcd_shell.h - looks at keys and leases and meddles with them.
//
//   EtcdShell shell(server.port());
//   shell.put("a/b", "one");
//   EXPECT_EQ(shell.get("a/b")->value, "one");
//   shell.revoke(shell.below("stock/").front().lease);   // another client's lease
//
// Keys and values are any bytes. It speaks to the server's JSON gateway, without TLS.

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
  std::int64_t lease = 0;    // zero: it has none
};

// Waits for each answer; throws std::runtime_error, in one sentence, when that is an
// error or none comes. Keeps no connection. Not safe for concurrent use.
class EtcdShell {
 public:
  explicit EtcdShell(std::uint16_t port) : port_(port) {}

  // Gives every later call these rights.
  void sign_on(const std::string& user, const std::string& password);

  std::optional<EtcdKey> get(std::string_view key);
  std::vector<EtcdKey> below(const std::string& prefix);  // the oldest first
  void put(std::string_view key, std::string_view value, std::int64_t lease = 0);
  bool remove(std::string_view key);  // false: there was none

  std::int64_t grant(std::chrono::seconds ttl);  // the id
  void revoke(std::int64_t lease);
  std::vector<std::int64_t> leases();

  std::int64_t revision();  // of the store
  void compact();           // forgets what was before it
  void make_room();         // of what was compacted, and ends the alarm of a full store
  bool leads();             // false also: it does not answer

  // One of its metrics: "etcd_debugging_mvcc_watcher_total". Zero: there is none.
  long figure(std::string_view name);

  // Anything else: `call("auth/user/add", R"({"name":"root","password":"p"})")`.
  std::string call(std::string_view what, const std::string& json = "{}",
                   std::chrono::milliseconds limit = patience());

 private:
  std::string exchange(const std::string& request,
                       std::chrono::milliseconds limit) const;

  const std::uint16_t port_;
  std::string token_;
};

}  // namespace holdfast::test

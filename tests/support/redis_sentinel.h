// SPDX-License-Identifier: Apache-2.0

// tests/support/redis_sentinel.h - a primary, its replicas and the sentinels that watch
// them, all of them real, on this machine.
//
//   RedisSentinel group;                          // one primary, two replicas
//   Client client = Client::open(group.url()).value();
//   group[group.primary()].kill();
//   group.expect_another_primary(0);

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/redis_server.h"

namespace holdfast::test {

struct RedisSentinelLines {
  std::vector<std::string> servers = {};    // are added to each server's configuration
  std::vector<std::string> sentinels = {};  // and to each sentinel's
};

// There are three sentinels; two of them must agree. They find a primary down within a
// second. The class is not safe for concurrent use. It throws as RedisServer does.
class RedisSentinel {
 public:
  static constexpr const char* kName = "mymaster";  // as the sentinels call the primary

  explicit RedisSentinel(const RedisSentinelLines& lines = {},
                         std::size_t replicas = 2);

  // Server 0 is the first primary.
  RedisServer& operator[](std::size_t i) { return *servers_[i]; }
  const RedisServer& operator[](std::size_t i) const { return *servers_[i]; }
  std::size_t size() const noexcept { return servers_.size(); }

  RedisServer& sentinel(std::size_t i) { return *sentinels_[i]; }

  // redis+sentinel://127.0.0.1:PORT,127.0.0.1:PORT,.../mymaster + rest
  std::string url(std::string_view rest = {}) const;

  // Returns the primary that the first sentinel that runs names.
  std::size_t primary() const;

  // Waits until every replica has what the primary has confirmed by now.
  void expect_replicated() const;

  // Orders a failover, and waits until it is done. Returns the new primary.
  std::size_t fail_over();

  // Waits until the sentinels name another primary than this, and returns it.
  std::size_t expect_another_primary(std::size_t than) const;

  // From now on, its replicas learn nothing of what the server does.
  void stop_replication(std::size_t server) const;

  // From now on, sentinels and other servers cannot reach the server. Clients can.
  void cut_off(std::size_t server) const;
  void reconnect(std::size_t server) const;

  // Waits until every server that runs is the primary or follows it, and the sentinels
  // know each other and the replicas.
  void expect_whole() const;

 private:
  void hurry(const RedisServer& sentinel) const;
  std::size_t index_of(long port) const;

  std::vector<std::unique_ptr<RedisServer>> servers_;
  std::vector<std::unique_ptr<RedisServer>> sentinels_;
};

}  // namespace holdfast::test

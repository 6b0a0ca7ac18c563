// SPDX-License-Identifier: Apache-2.0

// tests/support/redis_cluster.h - a Redis Cluster of real servers on this machine.
//
//   RedisCluster cluster;                             // three primaries
//   Client client = Client::open(cluster.url()).value();
//   cluster[cluster.primary_of("stock")].kill();
//   cluster.move_slot(cluster.slot_of("stock"), 2);   // a live reshard

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/redis_server.h"

namespace holdfast::test {

// The class is not safe for concurrent use. It throws as RedisServer does.
class RedisCluster {
 public:
  // The servers 0 to primaries - 1 share the slots evenly. The next ones are replicas,
  // the first of each primary, then the second. `lines` are added to each server's
  // configuration. With the line "tls-cluster yes", each has a port for TLS besides.
  explicit RedisCluster(std::size_t primaries = 3, std::size_t replicas_each = 0,
                        const std::vector<std::string>& lines = {});

  RedisServer& operator[](std::size_t i) { return *servers_[i]; }
  const RedisServer& operator[](std::size_t i) const { return *servers_[i]; }
  std::size_t size() const noexcept { return servers_.size(); }

  // redis+cluster://127.0.0.1:PORT,127.0.0.1:PORT,... + rest, with all servers
  std::string url(std::string_view rest = {}) const;

  // rediss+cluster://127.0.0.1:PORT,... + rest, with the ports for TLS
  std::string tls_url(std::string_view rest = {}) const;
  const std::string& tls_port(std::size_t server) const { return tls_ports_[server]; }

  std::uint16_t slot_of(const std::string& key) const;

  // Returns the server to which the slot or key belongs, as the first server that
  // answers sees it.
  std::size_t primary_of_slot(std::uint16_t slot) const;
  std::size_t primary_of(const std::string& key) const {
    return primary_of_slot(slot_of(key));
  }

  // Moves a slot with all its keys, in the steps of redis-cli --cluster reshard.
  void move_slot(std::uint16_t slot, std::size_t to);

  // These are the steps of `move_slot`. Between the first and the last, the slot is on
  // its way: keys are at one server or at the other.
  void begin_move(std::uint16_t slot, std::size_t from, std::size_t to);
  std::vector<std::string> keys_in(std::uint16_t slot, std::size_t server) const;
  void move_key(const std::string& key, std::size_t from, std::size_t to);
  void end_move(std::uint16_t slot, std::size_t to);

  // Waits until every running server finds the cluster whole.
  void expect_whole() const;

 private:
  std::optional<std::size_t> primary_at(const RedisServer& server,
                                        std::uint16_t slot) const;
  std::string id_of(std::size_t server) const;
  void expect_ok(std::size_t server, const std::vector<std::string>& words) const;

  std::vector<std::unique_ptr<RedisServer>> servers_;
  std::vector<std::string> tls_ports_;
};

}  // namespace holdfast::test

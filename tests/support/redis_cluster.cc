// SPDX-License-Identifier: Apache-2.0

#include "support/redis_cluster.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>

#include "support/eventually.h"
#include "support/free_port.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

constexpr std::size_t kAllSlots = 16'384;
constexpr const char* kMigrateTimeout = "5000";

std::string epoch_at(const RedisServer& server) {
  const std::string info = server.command({"CLUSTER", "INFO"});
  const std::size_t at = info.find("cluster_current_epoch:");
  return info.substr(at, info.find('\r', at) - at);
}

}  // namespace

RedisCluster::RedisCluster(std::size_t primaries, std::size_t replicas_each,
                           const std::vector<std::string>& lines) {
  const std::chrono::milliseconds node_timeout = scaled(std::chrono::seconds(1));
  std::vector<std::string> bus_ports;
  for (std::size_t i = 0; i < primaries * (1 + replicas_each); ++i) {
    // By default it would be the port plus 10,000, which may be too large.
    bus_ports.push_back(std::to_string(free_port()));
    std::vector<std::string> all{
        "cluster-enabled yes",
        "cluster-node-timeout " + std::to_string(node_timeout.count()),
        "cluster-port " + bus_ports.back(), "repl-diskless-sync-delay 0"};
    all.insert(all.end(), lines.begin(), lines.end());
    if (std::ranges::find(lines, "tls-cluster yes") != lines.end()) {
      tls_ports_.push_back(std::to_string(free_port()));
      all.push_back("tls-port " + tls_ports_.back());
    }
    servers_.push_back(std::make_unique<RedisServer>(std::move(all)));
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (i < primaries) {
      expect_ok(i,
                {"CLUSTER", "ADDSLOTSRANGE", std::to_string(kAllSlots * i / primaries),
                 std::to_string(kAllSlots * (i + 1) / primaries - 1)});
    }
    expect_ok(i, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    expect_ok(i, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(servers_[0]->port()),
                  bus_ports[0]});
  }
  for (std::size_t i = primaries; i < size(); ++i) {
    const std::string of = id_of(i % primaries);
    const auto follows = [&] {
      return servers_[i]->command({"CLUSTER", "REPLICATE", of}) == "OK";
    };
    if (!eventually(follows))
      throw std::runtime_error("a replica does not find its primary");
  }
  expect_whole();
}

std::string RedisCluster::url(std::string_view rest) const {
  std::string text = "redis+cluster://";
  for (std::size_t i = 0; i < size(); ++i) {
    if (i > 0) text += ',';
    text += "127.0.0.1:" + std::to_string(servers_[i]->port());
  }
  return text.append(rest);
}

std::string RedisCluster::tls_url(std::string_view rest) const {
  std::string text = "rediss+cluster://";
  for (std::size_t i = 0; i < size(); ++i) {
    if (i > 0) text += ',';
    text += "127.0.0.1:" + tls_ports_.at(i);
  }
  return text.append(rest);
}

std::uint16_t RedisCluster::slot_of(const std::string& key) const {
  for (const auto& server : servers_) {
    try {
      return static_cast<std::uint16_t>(
          std::stoul(server->command({"CLUSTER", "KEYSLOT", key})));
    } catch (const std::runtime_error&) {  // This server does not run.
    }
  }
  throw std::runtime_error("no server of the cluster answers");
}

// Returns which server has the slot as this one knows it, or nothing if it knows of
// none or does not run.
std::optional<std::size_t> RedisCluster::primary_at(const RedisServer& server,
                                                    std::uint16_t slot) const {
  Resp ranges;
  try {
    ranges = RedisSocket(server.port()).call({"CLUSTER", "SLOTS"});
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  for (const Resp& range : ranges.items) {
    if (range.items.at(0).number() > slot || range.items.at(1).number() < slot)
      continue;
    const long port = range.items.at(2).items.at(1).number();
    for (std::size_t i = 0; i < size(); ++i) {
      if (servers_[i]->port() == port) return i;
    }
  }
  return std::nullopt;
}

std::size_t RedisCluster::primary_of_slot(std::uint16_t slot) const {
  for (const auto& server : servers_) {
    if (const auto primary = primary_at(*server, slot)) return *primary;
  }
  throw std::runtime_error("no server has slot " + std::to_string(slot));
}

void RedisCluster::move_slot(std::uint16_t slot, std::size_t to) {
  const std::size_t from = primary_of_slot(slot);
  if (from == to) return;
  begin_move(slot, from, to);
  for (auto keys = keys_in(slot, from); !keys.empty(); keys = keys_in(slot, from)) {
    for (const std::string& key : keys) move_key(key, from, to);
  }
  end_move(slot, to);
}

void RedisCluster::begin_move(std::uint16_t slot, std::size_t from, std::size_t to) {
  const std::string number = std::to_string(slot);
  expect_ok(to, {"CLUSTER", "SETSLOT", number, "IMPORTING", id_of(from)});
  expect_ok(from, {"CLUSTER", "SETSLOT", number, "MIGRATING", id_of(to)});
}

std::vector<std::string> RedisCluster::keys_in(std::uint16_t slot,
                                               std::size_t server) const {
  const Resp found =
      RedisSocket(servers_[server]->port())
          .call({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), "100"});
  std::vector<std::string> keys;
  for (const Resp& key : found.items) keys.push_back(key.text);
  return keys;
}

// A key that has ended meanwhile is "NOKEY". Servers of a TLS cluster reach each other
// by TLS alone.
void RedisCluster::move_key(const std::string& key, std::size_t from, std::size_t to) {
  const std::string port =
      tls_ports_.empty() ? std::to_string(servers_[to]->port()) : tls_ports_[to];
  const auto said = servers_[from]->command(
      {"MIGRATE", "127.0.0.1", port, key, "0", kMigrateTimeout});
  if (said != "OK" && said != "NOKEY") throw std::runtime_error("MIGRATE: " + said);
}

// The new owner is told first, so that the slot always has one.
void RedisCluster::end_move(std::uint16_t slot, std::size_t to) {
  const std::string id = id_of(to);
  expect_ok(to, {"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id});
  for (const auto& server : servers_) {
    try {
      server->command({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id});
    } catch (const std::runtime_error&) {  // It learns from the others when it is back.
    }
  }
  // A server that has not heard of the last change of epoch would give the next move an
  // old one, and the news of an earlier move would undo it.
  const auto agreed = [&] {
    std::set<std::string> epochs;
    for (const auto& server : servers_) {
      if (primary_at(*server, slot).value_or(to) != to) return false;
      try {
        epochs.insert(epoch_at(*server));
      } catch (const std::runtime_error&) {  // This server does not run.
      }
    }
    return epochs.size() == 1;
  };
  if (!eventually(agreed)) {
    throw std::runtime_error("the servers do not agree on who has slot " +
                             std::to_string(slot));
  }
}

void RedisCluster::expect_whole() const {
  const std::string known = "cluster_known_nodes:" + std::to_string(size()) + "\r";
  for (const auto& server : servers_) {
    const auto whole = [&] {
      try {
        const std::string info = server->command({"CLUSTER", "INFO"});
        const std::string role = server->command({"INFO", "replication"});
        return contains(info, "cluster_state:ok") && contains(info, known) &&
               (contains(role, "role:master") ||
                contains(role, "master_link_status:up"));
      } catch (const std::runtime_error&) {
        return true;  // This server does not run.
      }
    };
    if (!eventually(whole))
      throw std::runtime_error("the cluster does not become whole");
  }
}

std::string RedisCluster::id_of(std::size_t server) const {
  return servers_[server]->command({"CLUSTER", "MYID"});
}

void RedisCluster::expect_ok(std::size_t server,
                             const std::vector<std::string>& words) const {
  const std::string said = servers_[server]->command(words);
  if (said != "OK") throw std::runtime_error(words.at(1) + ": " + said);
}

}  // namespace holdfast::test

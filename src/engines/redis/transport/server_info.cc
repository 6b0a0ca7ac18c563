// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/server_info.h"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/uri.h"
#include "engines/redis/errors.h"
#include "engines/redis/transport/command.h"

namespace holdfast::redis {
namespace {

constexpr int kOldestMajor = 5;
constexpr int kOldestInCluster = 7;  // It is the first one with shard channels.

// Returns the value of the line "field:value", or an empty text if there is none.
std::string_view field(std::string_view info, std::string_view name) {
  while (!info.empty()) {
    const auto end = info.find('\n');
    std::string_view line = info.substr(0, end);
    info.remove_prefix(end == std::string_view::npos ? info.size() : end + 1);
    if (!line.starts_with(name) || line.size() == name.size() ||
        line[name.size()] != ':') {
      continue;
    }
    line.remove_prefix(name.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  return {};
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Failure of_cluster(const Endpoint& endpoint) {
  return {Errc::unsupported, "Redis at " + endpoint.spelt() +
                                 " is a server of a Redis Cluster: its URL is redis" +
                                 (endpoint.tls.on ? "s" : "") + "+cluster://" +
                                 endpoint.spelt()};
}

// Returns the name in "name=mymaster,status=ok,address=...".
std::string_view name_in(std::string_view line) {
  constexpr std::string_view kHead = "name=";
  if (!line.starts_with(kHead)) return {};
  line.remove_prefix(kHead.size());
  return line.substr(0, line.find(','));
}

// Returns the address in "ip=127.0.0.1,port=7002,state=online,...".
std::string address_in(std::string_view line) {
  const auto part = [&](std::string_view name) {
    const auto at = line.find(name);
    if (at == std::string_view::npos) return std::string_view();
    const auto value = line.substr(at + name.size());
    return value.substr(0, value.find(','));
  };
  const auto port = static_cast<std::uint16_t>(number(part("port=")));
  return base::spell({std::string(part("ip=")), port});
}

Failure is_sentinel(const Endpoint& endpoint, const ServerInfo& server) {
  return {Errc::bad_url, endpoint.spelt() + " is a sentinel: its URL is redis" +
                             (endpoint.tls.on ? "s" : "") + "+sentinel://" +
                             endpoint.spelt() + "/" +
                             (server.watched.empty() ? "NAME" : server.watched)};
}

// A policy that evicts only keys with a TTL counts too, because locks have one.
bool may_evict(std::string_view policy) {
  return !policy.empty() && policy != "noeviction";
}

std::string persistence_of(const ServerInfo& server) {
  if (!server.save) return server.aof ? "append-only file" : "not known";
  if (server.save->empty()) return server.aof ? "append-only file" : "none";
  return server.aof ? "append-only file and snapshots" : "snapshots";
}

}  // namespace

Result<ServerInfo> parse_server_info(std::string_view info) {
  ServerInfo server;
  server.version = field(info, "redis_version");
  if (server.version.empty()) {
    return Failure(Errc::incompatible,
                   "its INFO does not say which version it has: the URL must lead to "
                   "Redis 5.0 or newer");
  }
  if (number(server.version) < kOldestMajor) {
    return Failure(Errc::unsupported, "Redis " + server.version +
                                          " is too old: Holdfast needs 5.0 or newer");
  }
  server.cluster =
      field(info, "redis_mode") == "cluster" || field(info, "cluster_enabled") == "1";
  server.sentinel = field(info, "redis_mode") == "sentinel";
  server.watched = name_in(field(info, "master0"));
  server.replica = field(info, "role") == "slave";
  server.replicas = static_cast<int>(number(field(info, "connected_slaves")));
  for (int i = 0; i < server.replicas; ++i) {
    const auto line = field(info, "slave" + std::to_string(i));
    if (!line.empty()) server.replicas_at.push_back(address_in(line));
  }
  const auto policy = field(info, "maxmemory_policy");
  if (number(field(info, "maxmemory")) > 0 && may_evict(policy)) {
    server.eviction = policy;
  }
  server.aof = field(info, "aof_enabled") == "1";
  return server;
}

Result<ServerInfo> fetch_server_info(Requests& requests, const Endpoint& endpoint,
                                     bool in_cluster, engine::Deadline until) {
  std::string out;
  Command(out, 1).add("INFO");
  Command(out, 3).add("CONFIG").add("GET").add("save");
  Reply replies[2];
  if (auto done = requests.call(out, replies, until); !done) {
    return std::move(done).error();
  }
  const ReplyView info = replies[0].view();
  const ReplyView save = replies[1].view();
  const std::string redis = "Redis at " + endpoint.spelt();
  if (info.is_error()) return failure_of(info, endpoint.name());
  auto server = parse_server_info(info.text());
  if (!server)
    return Failure(server.error().code, redis + ": " + server.error().context);
  server->where = endpoint.spelt();
  if (server->sentinel) return is_sentinel(endpoint, *server);
  if (server->cluster && !in_cluster) return of_cluster(endpoint);
  if (in_cluster && number(server->version) < kOldestInCluster) {
    return Failure(Errc::unsupported, redis + " has version " + server->version +
                                          ": in a Redis Cluster, Holdfast needs 7.0 "
                                          "or newer");
  }
  if (server->replica && !in_cluster) {
    return Failure(Errc::denied,
                   redis +
                       " is a replica, and locks live on its primary, to which the "
                       "URL must lead");
  }
  if (save.size() >= 2) server->save = save[1].text();
  return server;
}

std::vector<std::string> warnings(const ServerInfo& server, int acks) {
  std::vector<std::string> all;
  const auto count = std::to_string(server.replicas);
  if (server.evicts()) {
    all.push_back(
        "Redis may evict locks when its memory is full: set "
        "maxmemory-policy to noeviction");
  }
  if (server.replicas > 0 && acks == 0) {
    all.push_back("a failover of Redis may lose locks that its replicas (" + count +
                  ") have not yet seen: ?ack=1 waits for one of them");
  }
  if (server.replicas < acks) {
    all.push_back("?ack=" + std::to_string(acks) +
                  " wants more replicas than Redis has (" + count +
                  "): every lock will fail");
  }
  if (!server.persists()) {
    all.push_back(
        "Redis writes nothing to disk: a restart loses every lock; set "
        "appendonly to yes");
  }
  return all;
}

std::vector<engine::ServerDescription::Property> properties_of(
    const ServerInfo& server) {
  return {{"version", server.version},
          {"replicas", std::to_string(server.replicas)},
          {"persistence", persistence_of(server)},
          {"eviction", server.evicts() ? server.eviction : "none"}};
}

}  // namespace holdfast::redis

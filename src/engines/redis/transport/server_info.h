// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/server_info.h - what the server says about itself in INFO.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/redis/transport/requests.h"
#include "holdfast/engine/session.h"
#include "holdfast/result.h"

namespace holdfast::redis {

struct ServerInfo {
  std::string where;    // such as "10.0.0.1:6379"
  std::string version;  // such as "7.0.15"
  bool replica = false;
  bool cluster = false;
  bool sentinel = false;
  std::string watched;  // of a sentinel: what it calls the first primary it watches
  int replicas = 0;     // the number of connected replicas
  std::vector<std::string> replicas_at;  // such as "10.0.0.2:6379"
  std::string eviction;  // the policy that may evict our keys, if maxmemory is set
  bool aof = false;
  // This is what CONFIG says of snapshots: an empty text means that there are none,
  // nothing that the user may not ask.
  std::optional<std::string> save;

  bool evicts() const noexcept { return !eviction.empty(); }
  // If it is not known whether the server saves its data, it is assumed to save it.
  bool persists() const noexcept { return aof || !save || !save->empty(); }
};

// Asks the server in one round trip. Errc::bad_url means a sentinel; the message names
// the form of its URL. Errc::unsupported means a version below 5, or in a
// cluster below 7, or a server of a cluster where none is expected (the message names
// the right form of URL). Errc::denied means a replica, or a user without the right to
// ask.
Result<ServerInfo> fetch_server_info(Requests& requests, const Endpoint& endpoint,
                                     bool in_cluster, engine::Deadline until);
Result<ServerInfo> parse_server_info(std::string_view info);  // `info` is INFO's text.

// Returns one sentence for each thing that an operator should know: eviction, replicas
// without acks, and missing persistence.
std::vector<std::string> warnings(const ServerInfo& server, int acks);

// Returns version, replicas, persistence and eviction, for people to read.
std::vector<engine::ServerDescription::Property> properties_of(
    const ServerInfo& server);

}  // namespace holdfast::redis

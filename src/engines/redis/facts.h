// engines/redis/facts.h - what the server says about itself in INFO.

#pragma once

#include <string>
#include <vector>

#include "engines/redis/requests.h"
#include "holdfast/result.h"

namespace holdfast::redis {

struct Facts {
  std::string version;  // such as "7.0.15"
  bool replica = false;
  bool cluster = false;
  int replicas = 0;      // the number of connected replicas
  bool evicts = false;   // maxmemory is set, with a policy that may evict our keys
  bool persists = true;  // AOF or RDB snapshots are on
  bool aof = false;
};

// Reads the facts in one round trip. Errc::unsupported means a cluster node (the
// message names the URL form that clusters will have) or a version below 5.
// Errc::denied means a replica, or a user without the right to ask. If the user may not
// read whether the server saves its data, the server is assumed to save it.
Result<Facts> ask_facts(Requests& requests, const Place& place, engine::Deadline until);
Result<Facts> read_facts(std::string_view info);  // `info` is INFO's text.

// Returns one sentence for each thing that an operator should know: eviction, replicas
// without acks, and missing persistence.
std::vector<std::string> warnings(const Facts& facts, int acks);

}  // namespace holdfast::redis

// engines/redis/facts.h - what the server says of itself.

#pragma once

#include <string>
#include <vector>

#include "engines/redis/requests.h"
#include "holdfast/result.h"

namespace holdfast::redis {

struct Facts {
  std::string version;  // "7.0.15"
  bool replica = false;
  bool cluster = false;
  int replicas = 0;      // connected to it
  bool evicts = false;   // maxmemory is set, with a policy that may evict our keys
  bool persists = true;  // AOF, or at least RDB snapshots
  bool aof = false;
};

// One round trip. Errc::unsupported: a cluster node (the message names the URL form
// that clusters will have) or a version below 5. Errc::denied: a replica, or the user
// may not ask. Without leave to ask whether it saves, it is taken to do so.
Result<Facts> ask_facts(Requests& requests, const Place& place, engine::Deadline until);
Result<Facts> read_facts(std::string_view info);  // from INFO's text

// One sentence for each thing that an operator should know: eviction, replicas without
// acks, no persistence.
std::vector<std::string> warnings(const Facts& facts, int acks);

}  // namespace holdfast::redis

// bench/redis/redisson.h - the rival in Java: the program of tests/interop/redisson.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "redis/program.h"
#include "redis/server.h"
#include "report.h"

namespace holdfast::bench::redis {

struct Storm {
  double grants = 0;
  double seconds = 0;
  double longest_ms = 0;  // that any thread waited
};

// One Java process with one Redisson client.
class Redisson {
 public:
  // Some of them, warmed up; none if HOLDFAST_REDISSON_PEER does not name the jar,
  // which the report then says.
  static std::vector<Redisson> start(int processes, const Server& server,
                                     const std::string& workload, Report& report);

  // Threads lock and unlock RLocks as fast as they can: `name` itself, or if it ends in
  // "/", each a name below it.
  void begin(const std::string& name, int threads, std::chrono::milliseconds time);
  Storm end();

 private:
  Redisson(const std::string& jar, const Server& server);

  Program program_;
};

}  // namespace holdfast::bench::redis

// bench/redis/monitor.h - what clients send to the server, by MONITOR.

#pragma once

#include <vector>

#include "redis/connection.h"

namespace holdfast::bench::redis {

// Slows the server down: not for what is timed.
class Monitor {
 public:
  explicit Monitor(int port);

  // Since the last call, without what scripts call and without PING.
  std::vector<Command> seen();

 private:
  Connection listening_;
  Connection asking_;
};

}  // namespace holdfast::bench::redis

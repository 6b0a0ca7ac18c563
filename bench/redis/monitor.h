// SPDX-License-Identifier: Apache-2.0

// bench/redis/monitor.h - what clients send to the server, by MONITOR.

#pragma once

#include <vector>

#include "redis/connection.h"

namespace holdfast::bench::redis {

// It slows the server down, so it is not for what is timed.
class Monitor {
 public:
  explicit Monitor(int port);

  // Returns the commands since the last call, without the calls of scripts and without
  // PING.
  std::vector<Command> seen();

  // Returns how many commands the scripts among them called.
  int in_scripts() const noexcept { return in_scripts_; }

 private:
  int in_scripts_ = 0;
  Connection listening_;
  Connection asking_;
};

}  // namespace holdfast::bench::redis

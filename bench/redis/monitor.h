// SPDX-License-Identifier: Apache-2.0

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

  // How many commands the scripts among them called.
  int in_scripts() const noexcept { return in_scripts_; }

 private:
  int in_scripts_ = 0;
  Connection listening_;
  Connection asking_;
};

}  // namespace holdfast::bench::redis

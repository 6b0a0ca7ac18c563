// SPDX-License-Identifier: Apache-2.0

// bench/contend.h - many callers, one lock: lock and unlock as fast as they can.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "workload.h"

namespace holdfast::bench {

struct Crowd {
  int processes;
  int threads;  // of each
  std::chrono::nanoseconds time;
};

struct Contention {
  std::int64_t grants = 0;
  std::int64_t lost = 0;  // updates of a plain number, made under the lock
  double seconds = 0;
  double longest_ms = 0;    // from one grant of a thread to its next
  std::int64_t fewest = 0;  // grants of one process: the unluckiest,
  std::int64_t most = 0;    // and the luckiest
  double handover_ms = 0;   // from a grant to that of another process: the median
};

// Throws std::runtime_error when one of the processes fails.
Contention contend(const Context& context, const std::string& contestant,
                   const Crowd& crowd);

}  // namespace holdfast::bench

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
  int threads;  // the number of threads in each
  std::chrono::nanoseconds time;
};

struct Contention {
  std::int64_t grants = 0;
  std::int64_t lost = 0;  // lost updates of a plain number under the lock
  double seconds = 0;
  double longest_ms = 0;    // from one grant of a thread to its next
  std::int64_t fewest = 0;  // the grants of the process that got fewest
  std::int64_t most = 0;    // the grants of the process that got most
  double handover_ms = 0;   // the median time from a grant to that of another process
};

// Throws std::runtime_error when one of the processes fails.
Contention contend(const Context& context, const std::string& contestant,
                   const Crowd& crowd);

}  // namespace holdfast::bench

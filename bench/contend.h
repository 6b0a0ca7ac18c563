// SPDX-License-Identifier: Apache-2.0

// bench/contend.h - many callers, one lock: lock and unlock as fast as they can.

#pragma once

#include <chrono>
#include <string>

#include "storm.h"
#include "workload.h"

namespace holdfast::bench {

// A caller is one thread.
struct Crowd {
  int processes;
  int threads;  // the number of threads in each
  std::chrono::nanoseconds time;
  std::chrono::nanoseconds section = {};  // how long a caller works under the lock
  bool own_clients = false;               // Each thread has a client of its own.
};

// Returns as in "16 x 1, 100 us": processes, threads in each, and the section.
std::string spell(const Crowd& crowd);

// All callers increment a plain number under the lock. Throws std::runtime_error when
// an update was lost, because the figures then mean nothing, or a process fails.
Storm contend(const Context& context, const std::string& contestant,
              const Crowd& crowd);

}  // namespace holdfast::bench

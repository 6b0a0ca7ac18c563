// SPDX-License-Identifier: Apache-2.0

// bench/redis/throughput.h - threads that lock and unlock as fast as they can, each its
// own locks.

#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "contestant.h"

namespace holdfast::bench::redis {

using Contestants = std::vector<std::unique_ptr<Contestant>>;  // one for each thread

struct Throughput {
  double pairs = 0;  // of all threads together
  double seconds = 0;
  double cpu_seconds = 0;  // the processor time of this process

  double rate() const { return pairs / seconds; }
  double cpu_us() const { return cpu_seconds * 1e6 / pairs; }  // for one pair
};

Throughput throughput(const Contestants& contestants, std::chrono::milliseconds time);

}  // namespace holdfast::bench::redis

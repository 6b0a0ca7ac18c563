// SPDX-License-Identifier: Apache-2.0

#include "redis/throughput.h"

#include <atomic>
#include <latch>
#include <thread>

#include "timing.h"

namespace holdfast::bench::redis {

Throughput throughput(const Contestants& contestants, std::chrono::milliseconds time) {
  const auto threads = static_cast<std::ptrdiff_t>(contestants.size());
  std::latch ready(threads + 1);
  std::atomic<std::int64_t> pairs = 0;
  std::atomic<bool> over = false;
  std::vector<std::jthread> all;
  for (const auto& contestant : contestants) {
    all.emplace_back([&ready, &pairs, &over, lock = contestant.get()] {
      ready.arrive_and_wait();
      std::int64_t mine = 0;
      for (; !over; ++mine) lock->pairs(1);
      pairs += mine;
    });
  }
  ready.arrive_and_wait();
  const std::int64_t start = now_ns();
  const double cpu = cpu_seconds();
  std::this_thread::sleep_for(time);
  over = true;
  all.clear();
  return {static_cast<double>(pairs), static_cast<double>(now_ns() - start) / 1e9,
          cpu_seconds() - cpu};
}

}  // namespace holdfast::bench::redis

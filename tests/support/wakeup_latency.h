// SPDX-License-Identifier: Apache-2.0

// tests/support/wakeup_latency.h - how late this machine wakes a thread.

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include "holdfast/engine/claim.h"

namespace holdfast::test {

// As long as it lives, it measures how late a thread that only sleeps wakes up.
class WakeupLatency {
 public:
  WakeupLatency() : thread_([this](const std::stop_token& over) { measure(over); }) {}
  Clock::duration worst() const { return Clock::duration(worst_); }

 private:
  void measure(const std::stop_token& over) {
    using namespace std::chrono_literals;
    while (!over.stop_requested()) {
      const auto before = Clock::now();
      std::this_thread::sleep_for(1ms);
      worst_ = std::max(worst_.load(), (Clock::now() - before - 1ms).count());
    }
  }
  std::atomic<Clock::rep> worst_{0};
  std::jthread thread_;
};

}  // namespace holdfast::test

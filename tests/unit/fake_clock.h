// SPDX-License-Identifier: Apache-2.0

// tests/unit/fake_clock.h - a clock that only the test moves.
//
//   FakeClock clock;
//   clock.advance(10s);       // every Clock::now() of the process has moved

#pragma once

#include <atomic>
#include <chrono>

#include "holdfast/clock.h"

namespace holdfast::test {

class FakeClock {
 public:
  FakeClock() {
    now_ = Clock::now().time_since_epoch().count();
    before_ = Clock::set_source(
        []() noexcept { return Clock::time_point(Clock::duration(now_.load())); });
  }
  ~FakeClock() { Clock::set_source(before_); }
  FakeClock(const FakeClock&) = delete;
  FakeClock& operator=(const FakeClock&) = delete;

  void advance(Clock::duration span) { now_ += span.count(); }

 private:
  static inline std::atomic<Clock::rep> now_{0};
  Clock::Source before_;
};

}  // namespace holdfast::test

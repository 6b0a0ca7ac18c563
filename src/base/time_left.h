// SPDX-License-Identifier: Apache-2.0

// base/time_left.h - the time that remains until a deadline.
//
//   while (!ready) {
//     const auto left = base::time_left(until);
//     if (left == Clock::duration::zero()) return timed_out();
//     changed.wait_for(lock, left);
//   }

#pragma once

#include <algorithm>
#include <chrono>

#include "holdfast/clock.h"

namespace holdfast::base {

// Returns zero if `until` has passed, and never more than `at_most`, so the result can
// be added to the time of any clock. A caller that waits for it in a loop checks the
// deadline again; it should anyway, since a condition variable does not count the time
// that the host sleeps. Every deadline is allowed: for `time_point::max()` the clock is
// not read, and `time_point::min()` has passed.
inline Clock::duration time_left(
    Clock::time_point until, Clock::duration at_most = std::chrono::hours(1)) noexcept {
  if (until == Clock::time_point::max()) return at_most;
  const auto now = Clock::now();
  if (until <= now) return Clock::duration::zero();
  return std::min(until - now, at_most);
}

}  // namespace holdfast::base

// SPDX-License-Identifier: Apache-2.0

// holdfast/clock.h - the one clock that leases are counted on.
//
// The clock is CLOCK_BOOTTIME: it goes on while the host sleeps, as the server's clock
// does, and it does not jump when the date is set.

#pragma once

#include <chrono>

#include "holdfast/export.h"

namespace holdfast::inline v0 {

// Clock meets the standard's Clock requirements and is safe for concurrent use.
class HOLDFAST_EXPORT Clock {
 public:
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;

  // For tests: every later `now()` in this process returns what `source` returns, and
  // with nullptr what the real clock says. Returns the source that was set before.
  using Source = time_point (*)() noexcept;
  static Source set_source(Source source) noexcept;
};

}  // namespace holdfast::inline v0

// holdfast/clock.h - the one clock that leases are counted on.
//
// CLOCK_BOOTTIME: it goes on while the host sleeps, as the server's clock does, and it
// does not jump when somebody sets the date.

#pragma once

#include <chrono>

#include "holdfast/export.h"

namespace holdfast {

// Meets the standard's Clock requirements. Safe for concurrent use.
class HOLDFAST_EXPORT Clock {
 public:
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;

  // For tests: every later `now()` in this process asks `source`; nullptr is the real
  // clock again. Returns what was there.
  using Source = time_point (*)() noexcept;
  static Source set_source(Source source) noexcept;
};

}  // namespace holdfast

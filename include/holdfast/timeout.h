// SPDX-License-Identifier: Apache-2.0

// holdfast/timeout.h - how long a caller is willing to wait.
//
//   using holdfast::Timeout;
//   auto soon = mutex.acquire({.wait = 250ms});
//   auto ever = mutex.acquire({.wait = std::chrono::hours::max()});   // as forever()
//   auto late = mutex.acquire({.wait = Timeout::until(deadline)});    // by any clock
//
// Every duration that a caller passes becomes a Timeout at once, so the code below
// handles one type of time only.

#pragma once

#include <chrono>
#include <type_traits>

#include "holdfast/clock.h"

namespace holdfast::inline v0 {

// A Timeout is never negative and never overflows: a negative duration becomes zero,
// and one that is too long becomes `forever()`.
class Timeout {
  // Declared first: otherwise clang 14 does not evaluate `forever()` at compile time.
  template <class Rep, class Period>
  static constexpr Clock::duration saturate(
      std::chrono::duration<Rep, Period> d) noexcept {
    using Wide = std::chrono::duration<long double, std::nano>;
    const Wide wide = d;
    if (!(wide.count() > 0)) return Clock::duration::zero();  // also NaN
    if (wide >= Wide(Clock::duration::max())) return Clock::duration::max();
    if constexpr (std::is_floating_point_v<Rep>) {
      return Clock::duration(static_cast<Clock::rep>(wide.count()));
    } else {
      return std::chrono::duration_cast<Clock::duration>(d);
    }
  }

 public:
  template <class Rep, class Period>
  constexpr Timeout(std::chrono::duration<Rep, Period> d) noexcept  // NOLINT: implicit
      : span_(saturate(d)) {}

  // The time that is left until `when`, by the clock of `when`; zero if it has passed.
  // The difference is computed in floating point, where it cannot overflow.
  template <class AnyClock, class Duration>
  static Timeout until(
      const std::chrono::time_point<AnyClock, Duration>& when) noexcept {
    using Wide = std::chrono::duration<long double, std::nano>;
    return Wide(when.time_since_epoch()) - Wide(AnyClock::now().time_since_epoch());
  }

  static constexpr Timeout forever() noexcept {
    return Timeout(Clock::duration::max());
  }
  static constexpr Timeout zero() noexcept { return Timeout(Clock::duration::zero()); }

  constexpr bool is_forever() const noexcept { return span_ == Clock::duration::max(); }
  constexpr bool is_zero() const noexcept { return span_ == Clock::duration::zero(); }
  constexpr Clock::duration span() const noexcept { return span_; }

  // The moment at which the timeout is over, counted from now or from `start`. For
  // `forever()` it is time_point::max(), and the clock is not read.
  Clock::time_point deadline() const noexcept {
    if (is_forever()) return Clock::time_point::max();
    return deadline_from(Clock::now());
  }
  constexpr Clock::time_point deadline_from(Clock::time_point start) const noexcept {
    if (span_ > Clock::time_point::max() - start) return Clock::time_point::max();
    return start + span_;
  }

  friend constexpr auto operator<=>(const Timeout&, const Timeout&) = default;

 private:
  Clock::duration span_;
};

}  // namespace holdfast::inline v0

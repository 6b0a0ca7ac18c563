// SPDX-License-Identifier: Apache-2.0

// engines/quorum/token_clock.h - the clock from which a client names its tokens.
//
// Every node grants a claim with exactly the token that it names, if that exceeds all
// tokens before it. So the clients of a quorum read their tokens from clocks: the one
// that claims later names the larger token. A client whose clock is behind is refused
// by the nodes, and from then on adds what it was behind.
//
// All clients read their clocks a second ahead. So their tokens exceed the time of a
// node to which the name is new, although the claim takes a while to get there.

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "holdfast/hold.h"

namespace holdfast::quorum {

// The class is safe for concurrent use.
class TokenClock {
 public:
  using Time = std::chrono::system_clock::time_point;
  static constexpr std::chrono::microseconds kAhead = std::chrono::seconds(1);

  // Returns the token of a claim that is made at `now`, above `last`.
  FencingToken next_token(Time now, FencingToken last) const noexcept {
    return {std::max(read(now) + behind_.load(), last.value + 1)};
  }

  // The claim that was made at `then` did not exceed `last`. Nothing is added beyond
  // that: if each client went a little ahead of the others, their tokens would run away
  // from the clocks.
  void learn(Time then, FencingToken last) noexcept {
    const std::uint64_t clock = read(then);
    if (last.value <= clock) return;
    std::uint64_t known = behind_.load();
    while (known < last.value - clock &&
           !behind_.compare_exchange_weak(known, last.value - clock)) {
    }
  }

 private:
  static std::uint64_t read(Time time) noexcept {
    const auto span =
        std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()) + kAhead;
    return static_cast<std::uint64_t>(span.count());
  }

  std::atomic<std::uint64_t> behind_{0};
};

}  // namespace holdfast::quorum

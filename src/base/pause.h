// SPDX-License-Identifier: Apache-2.0

// base/pause.h - growing pauses with jitter.

#pragma once

#include <algorithm>
#include <chrono>

namespace holdfast::base {

// Returns twice the last pause, between `least` and `most`.
inline std::chrono::nanoseconds grown(std::chrono::nanoseconds last,
                                      std::chrono::nanoseconds least,
                                      std::chrono::nanoseconds most) noexcept {
  return std::clamp(last * 2, least, most);
}

// Returns a random time between zero and `pause`. A child of fork() draws other times
// than its parent.
std::chrono::nanoseconds random_part(std::chrono::nanoseconds pause);

// Returns a random time between half of `pause` and `pause`.
inline std::chrono::nanoseconds jittered(std::chrono::nanoseconds pause) {
  return pause / 2 + random_part(pause / 2);
}

}  // namespace holdfast::base

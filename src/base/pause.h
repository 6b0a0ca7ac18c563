// base/pause.h - pauses that grow, and that do not march in step.

#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace holdfast::base {

// Twice the last one, between `least` and `most`.
inline std::chrono::nanoseconds grown(std::chrono::nanoseconds last,
                                      std::chrono::nanoseconds least,
                                      std::chrono::nanoseconds most) noexcept {
  return std::clamp(last * 2, least, most);
}

// Between nothing and all of it.
inline std::chrono::nanoseconds random_part(std::chrono::nanoseconds pause) {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::uniform_int_distribution<std::chrono::nanoseconds::rep> any(0, pause.count());
  return std::chrono::nanoseconds(any(random));
}

// Between half of it and all of it.
inline std::chrono::nanoseconds jittered(std::chrono::nanoseconds pause) {
  return pause / 2 + random_part(pause / 2);
}

}  // namespace holdfast::base

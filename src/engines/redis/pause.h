// engines/redis/pause.h - pauses that grow, and that do not march in step.

#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace holdfast::redis {

// Twice the last one, between `least` and `most`.
inline std::chrono::nanoseconds grown(std::chrono::nanoseconds last,
                                      std::chrono::nanoseconds least,
                                      std::chrono::nanoseconds most) noexcept {
  return std::clamp(last * 2, least, most);
}

// Between half of it and all of it.
inline std::chrono::nanoseconds jittered(std::chrono::nanoseconds pause) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return pause / 2 + pause / 2 * (random() % 1024) / 1024;
}

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// shop/strategies/pause.h - a pause of random length before the next try.

#pragma once

#include <chrono>
#include <random>
#include <thread>

namespace holdfast::shop {

// Losers that pause for the same time meet again.
inline void pause_up_to(std::chrono::microseconds longest) {
  thread_local std::minstd_rand random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::microseconds(
      std::uniform_int_distribution<std::int64_t>(50, longest.count())(random)));
}

}  // namespace holdfast::shop

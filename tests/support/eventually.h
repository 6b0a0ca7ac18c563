// SPDX-License-Identifier: Apache-2.0

// tests/support/eventually.h - waits for a condition, never for a time.
//
//   ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));

#pragma once

#include <chrono>
#include <thread>

#include "support/scale.h"

namespace holdfast::test {

// Returns true as soon as `met` does, or false when it still does not after `limit`.
template <class Condition>
[[nodiscard]] bool eventually(Condition&& met,
                              std::chrono::milliseconds limit = patience()) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!met()) {
    if (std::chrono::steady_clock::now() >= end) return met();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Returns true if `met` does all the time until `span` has passed.
template <class Condition>
[[nodiscard]] bool throughout(std::chrono::milliseconds span, Condition&& met) {
  return !eventually([&] { return !met(); }, span);
}

}  // namespace holdfast::test

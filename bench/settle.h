// SPDX-License-Identifier: Apache-2.0

// bench/settle.h - a server's count of what it was asked, once that stands still.

#pragma once

#include <chrono>
#include <thread>

namespace holdfast::bench {

// Some requests are sent and not awaited, so they may still be on their way.
template <class Count>
double settled(Count count) {
  constexpr auto kStill = std::chrono::milliseconds(10);
  for (double last = count();;) {
    std::this_thread::sleep_for(kStill);
    const double now = count();
    if (now == last) return now;
    last = now;
  }
}

}  // namespace holdfast::bench

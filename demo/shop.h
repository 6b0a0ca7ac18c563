// SPDX-License-Identifier: Apache-2.0

// demo/shop.h - one shop: a process whose threads buy, one item after another.
//
// A shop opens its connections, says `ready`, and is told when to start; then it
// answers with one Sample per purchase. All of this goes through its stdin and stdout.

#pragma once

#include <cstdint>

#include "options.h"
#include "strategy.h"

namespace holdfast::demo {

inline constexpr char kReady = 'r';

// A sample goes through the pipe as it is in memory, because both ends are the same
// program.
struct Sample {
  std::int64_t started_ns = 0;  // steady_clock is the same in all processes of a host.
  std::int64_t ended_ns = 0;
  std::uint32_t retries = 0;
  Outcome outcome = Outcome::failed;
  bool holding = false;  // In a scene, the shop has the lock and does nothing.
  bool knew = false;     // In the pause scene, the shop knew that its hold was over.
  std::uint64_t token = 0;
};

std::int64_t steady_ns();

// Sells until its requests are made, the stock is gone or the time is over.
void run_shop(const ShopOptions& options);

// In the crash scene the shop sells under the Holdfast lock and reports each sale while
// it still has the lock, so that no sale is unreported when it is killed. With
// `hold_after` it stops while it holds the lock.
void run_crash_shop(const ShopOptions& options);

// In the pause scene the shop takes the lock for half a second, reads the stock, and
// writes when it is told to continue, however late that is.
void run_pause_shop(const ShopOptions& options);

}  // namespace holdfast::demo

// SPDX-License-Identifier: Apache-2.0

// demo/shop.h - one shop: a process whose threads buy, one item after another.
//
// A shop opens its tills, says `ready`, and is told when to start; then it answers with
// one Sample per purchase. All of this goes over its stdin and stdout.

#pragma once

#include <cstdint>

#include "options.h"
#include "strategy.h"

namespace holdfast::demo {

inline constexpr char kReady = 'r';

// On the pipe as it is in memory: both ends are the same program.
struct Sample {
  std::int64_t started_ns = 0;  // steady_clock, the same in all processes of a host
  std::int64_t ended_ns = 0;
  std::uint32_t retries = 0;
  Outcome outcome = Outcome::failed;
  bool holding = false;  // in a scene: "I have the lock and do nothing"
  bool knew = false;     // pause scene: that its hold was over
  std::uint64_t token = 0;
};

std::int64_t steady_ns();

// Sells until its requests are made, the stock is gone or the time is over.
void run_shop(const ShopOptions& options);

// The crash scene: sells under the Holdfast lock and tells each sale while it still has
// the lock, so that none is untold when the shop is killed. With `hold_after` it stops
// there, with the lock in its hand.
void run_crash_shop(const ShopOptions& options);

// The pause scene: takes the lock for half a second, reads the stock, and writes when
// it is told to go on, however late that is.
void run_pause_shop(const ShopOptions& options);

}  // namespace holdfast::demo

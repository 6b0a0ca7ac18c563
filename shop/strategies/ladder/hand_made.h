// SPDX-License-Identifier: Apache-2.0

// shop/strategies/ladder/hand_made.h - what the seven home-made locks have in common.
//
//   V5Lua lock(redis);                    // with the times of a real one
//   V5Lua lock(redis, {.lease = 200ms});  // for a scene that cannot wait
//
// Each version repairs the hole of the one before, and has one of its own.

#pragma once

#include <chrono>
#include <cstdio>
#include <random>
#include <string>

#include "stores/redis.h"

namespace holdfast::shop {

struct HandMade {
  std::string key = "lock";
  std::chrono::milliseconds pause{20};  // before the next try
  std::chrono::milliseconds lease{10'000};
};

// Returns a value that no other holder has, as a UUID would be.
inline std::string new_value() {
  thread_local std::mt19937_64 random{std::random_device{}()};
  char digits[40];
  std::snprintf(digits, sizeof digits, "%016llx%016llx",
                static_cast<unsigned long long>(random()),
                static_cast<unsigned long long>(random()));
  return digits;
}

}  // namespace holdfast::shop

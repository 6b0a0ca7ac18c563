// SPDX-License-Identifier: Apache-2.0

// shop/strategies/ladder/v1_recursive.h - SETNX, and lock() calls itself until it has
// it.
//
// What is wrong: each try takes a frame of the stack, and a long wait takes all of it.
// The key has no expiry: a service that dies leaves it locked for ever.

#pragma once

#include <thread>
#include <utility>

#include "strategies/ladder/hand_made.h"

namespace holdfast::shop {

class V1Recursive {
 public:
  explicit V1Recursive(Redis& redis, HandMade options = {})
      : redis_(redis), options_(std::move(options)) {}

  void lock() {
    const std::string value = new_value();
    if (!redis_.set_if_absent(options_.key, value)) {
      std::this_thread::sleep_for(options_.pause);
      lock();
    }
  }

  void unlock() { redis_.del(options_.key); }

 private:
  Redis& redis_;
  const HandMade options_;
};

}  // namespace holdfast::shop

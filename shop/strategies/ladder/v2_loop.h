// SPDX-License-Identifier: Apache-2.0

// shop/strategies/ladder/v2_loop.h - SETNX in a loop, which needs no stack.
//
// What is wrong: the key has no expiry. A service that dies between lock() and unlock()
// leaves it locked for ever.

#pragma once

#include <thread>
#include <utility>

#include "strategies/ladder/hand_made.h"

namespace holdfast::shop {

class V2Loop {
 public:
  explicit V2Loop(Redis& redis, HandMade options = {})
      : redis_(redis), options_(std::move(options)) {}

  void lock() {
    while (!redis_.set_if_absent(options_.key, new_value())) {
      std::this_thread::sleep_for(options_.pause);
    }
  }

  void unlock() { redis_.del(options_.key); }

 private:
  Redis& redis_;
  const HandMade options_;
};

}  // namespace holdfast::shop

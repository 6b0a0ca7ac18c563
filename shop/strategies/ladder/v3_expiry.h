// SPDX-License-Identifier: Apache-2.0

// shop/strategies/ladder/v3_expiry.h - SET NX PX: a dead holder's key goes by itself.
//
// What is wrong: a holder that is slower than the expiry has lost the lock without
// knowing. Its unlock() then deletes the key of the next holder.

#pragma once

#include <thread>
#include <utility>

#include "strategies/ladder/hand_made.h"

namespace holdfast::shop {

class V3Expiry {
 public:
  explicit V3Expiry(Redis& redis, HandMade options = {})
      : redis_(redis), options_(std::move(options)) {}

  void lock() {
    while (!redis_.set_if_absent(options_.key, new_value(), options_.lease)) {
      std::this_thread::sleep_for(options_.pause);
    }
  }

  void unlock() { redis_.del(options_.key); }

 private:
  Redis& redis_;
  const HandMade options_;
};

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// shop/strategies/ladder/v4_owner_check.h - unlock() looks whose key it is, then
// deletes.
//
// What is wrong: looking and deleting are two commands. The key may expire between
// them, and then the one that is deleted is the next holder's.

#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "strategies/ladder/hand_made.h"

namespace holdfast::shop {

class V4OwnerCheck {
 public:
  explicit V4OwnerCheck(Redis& redis, HandMade options = {})
      : redis_(redis), options_(std::move(options)) {}

  void lock() {
    while (!redis_.set_if_absent(options_.key, value_, options_.lease)) {
      std::this_thread::sleep_for(options_.pause);
    }
  }

  void unlock() {
    if (redis_.get(options_.key) == value_) {
      if (in_the_gap) in_the_gap();
      redis_.del(options_.key);
    }
  }

  std::function<void()> in_the_gap;  // is called where a pause does harm

 private:
  Redis& redis_;
  const HandMade options_;
  const std::string value_ = new_value();
};

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// shop/strategies/ladder/v5_lua.h - unlock() looks and deletes in one script.
//
// What is wrong: it is not re-entrant. A function that holds the lock and calls another
// one that locks it waits for itself, until the expiry ends both.

#pragma once

#include <thread>
#include <utility>

#include "strategies/ladder/hand_made.h"

namespace holdfast::shop {

class V5Lua {
 public:
  explicit V5Lua(Redis& redis, HandMade options = {})
      : redis_(redis), options_(std::move(options)) {}

  bool try_lock() { return redis_.set_if_absent(options_.key, value_, options_.lease); }

  void lock() {
    while (!try_lock()) std::this_thread::sleep_for(options_.pause);
  }

  void unlock() {
    redis_.eval(
        "if redis.call('get', KEYS[1]) == ARGV[1] then "
        "  return redis.call('del', KEYS[1]) "
        "else return 0 end",
        {options_.key}, {value_});
  }

 private:
  Redis& redis_;
  const HandMade options_;
  const std::string value_ = new_value();
};

}  // namespace holdfast::shop

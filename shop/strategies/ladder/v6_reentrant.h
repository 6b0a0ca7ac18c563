// SPDX-License-Identifier: Apache-2.0

// shop/strategies/ladder/v6_reentrant.h - a hash: who holds it, and how many times.
//
// What is wrong: the expiry is fixed. A holder that is slower than it goes on without
// the lock, beside the next holder.

#pragma once

#include <thread>
#include <utility>

#include "strategies/ladder/hand_made.h"

namespace holdfast::shop {

class V6Reentrant {
 public:
  explicit V6Reentrant(Redis& redis, HandMade options = {})
      : redis_(redis), options_(std::move(options)) {}

  bool try_lock() {
    return redis_.eval(
               "if redis.call('exists', KEYS[1]) == 0 or "
               "   redis.call('hexists', KEYS[1], ARGV[1]) == 1 then "
               "  redis.call('hincrby', KEYS[1], ARGV[1], 1) "
               "  redis.call('pexpire', KEYS[1], ARGV[2]) "
               "  return 1 "
               "else return 0 end",
               {options_.key}, {value_, std::to_string(options_.lease.count())}) == 1;
  }

  void lock() {
    while (!try_lock()) std::this_thread::sleep_for(options_.pause);
  }

  void unlock() {
    redis_.eval(
        "if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end "
        "local count = redis.call('hincrby', KEYS[1], ARGV[1], -1) "
        "if count == 0 then redis.call('del', KEYS[1]) return 1 "
        "else return 2 end",
        {options_.key}, {value_});
  }

  const std::string& value() const noexcept { return value_; }

 private:
  Redis& redis_;
  const HandMade options_;
  const std::string value_ = new_value();
};

}  // namespace holdfast::shop

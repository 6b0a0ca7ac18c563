// SPDX-License-Identifier: Apache-2.0

// shop/strategies/ladder/v7_renewed.h - a timer extends the expiry while it is held.
//
// What is wrong: a process that is stopped (a pause of its garbage collector, a virtual
// machine that moves) renews nothing. It wakes up, knows of nothing, and writes
// although another has the lock. No lock alone can prevent that; what is written to
// must compare tokens, and this lock has none.

#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "stores/stock.h"
#include "strategies/ladder/v6_reentrant.h"

namespace holdfast::shop {

class V7Renewed {
 public:
  explicit V7Renewed(Redis& redis, const HandMade& options = {})
      : lock_(redis, options), port_(redis.port()), options_(options) {}

  void lock() {
    lock_.lock();
    timer_ = std::jthread([this](const std::stop_token& stop) { renew(stop); });
  }

  void unlock() {
    timer_ = {};  // stops and joins it
    lock_.unlock();
  }

 private:
  void renew(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock guard(mutex);
    std::condition_variable_any never;
    while (!never.wait_for(guard, stop, options_.lease / 3, [] { return false; }) &&
           !stop.stop_requested() && extended()) {
    }
  }

  // A connection that breaks ends the renewal, as if the lock were gone.
  bool extended() {
    try {
      return Redis(port_).eval(
                 "if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then "
                 "  return redis.call('pexpire', KEYS[1], ARGV[2]) "
                 "else return 0 end",
                 {options_.key},
                 {lock_.value(), std::to_string(options_.lease.count())}) == 1;
    } catch (const StoreError&) {
      return false;
    }
  }

  V6Reentrant lock_;
  const std::uint16_t port_;
  const HandMade options_;
  std::jthread timer_;
};

}  // namespace holdfast::shop

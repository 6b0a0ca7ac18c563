// SPDX-License-Identifier: Apache-2.0

// bench/rivals/set_nx.h - SET NX PX, asked again after a sleep: what most programs do
// that lock by Redis without a library, and what the simpler libraries do.

#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>

#include "redis/connection.h"

namespace holdfast::bench {

// Each thread needs an object of its own.
class SetNx {
 public:
  struct Pause {
    std::chrono::microseconds least;
    std::chrono::microseconds most;
  };

  SetNx(int port, const std::string& name, const Pause& pause)
      : connection_(port), pause_us_(pause.least.count(), pause.most.count()) {
    const std::string owner = std::to_string(random_());
    lock_ = redis::encode({"SET", name, owner, "NX", "PX", "30000"});
    unlock_ = redis::encode({"EVAL", kDeleteIfOurs, "1", name, owner});
  }
  void lock() {
    while (connection_.send(lock_)->type == REDIS_REPLY_NIL) {
      std::this_thread::sleep_for(pause_us_(random_) * std::chrono::microseconds(1));
    }
  }
  void unlock() { connection_.send(unlock_); }

 private:
  static constexpr const char* kDeleteIfOurs =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
      "end return 0";

  redis::Connection connection_;
  std::string lock_;
  std::string unlock_;
  std::mt19937_64 random_{std::random_device()()};
  std::uniform_int_distribution<std::int64_t> pause_us_;
};

}  // namespace holdfast::bench

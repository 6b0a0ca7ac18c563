// SPDX-License-Identifier: Apache-2.0

// bench/rivals/red_mutex.h - RedMutex of redis-plus-plus: SET NX PX, asked again after
// a fixed pause, with renewal. It takes part where the library was found.

#pragma once

#include <sw/redis++/patterns/redlock.h>
#include <sw/redis++/redis++.h>

#include <chrono>
#include <memory>
#include <string>

namespace holdfast::bench {

// Each thread needs an object of its own.
class RedMutex {
 public:
  RedMutex(int port, const std::string& name, std::chrono::milliseconds pause)
      : mutex_(std::make_shared<sw::redis::Redis>("tcp://127.0.0.1:" +
                                                  std::to_string(port)),
               name + ".red", nullptr, options(pause)) {}

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  static sw::redis::RedMutexOptions options(std::chrono::milliseconds pause) {
    sw::redis::RedMutexOptions all;
    all.retry_delay = pause;
    return all;
  }

  sw::redis::RedMutex mutex_;
};

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// shop/strategies/process_mutex.h - the same under a mutex of the process.
//
// What is wrong: it keeps the threads of one service apart. With one service nothing is
// oversold; three services have three mutexes, and oversell as if there were none.

#pragma once

#include <mutex>

#include "strategies/strategy.h"

namespace holdfast::shop {

class ProcessMutex : public Strategy {
 public:
  Purchase buy(Desk& desk) override {
    StockConnection& connection = desk.stock();  // connects before it locks
    const std::scoped_lock guard(mutex_);
    return read_then_write(connection);
  }

 private:
  std::mutex mutex_;
};

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// shop/strategies/under_holdfast.h - SELECT, then UPDATE, under one lock of Holdfast.
//
// Nothing is wrong with it; it costs more than one SQL. It serves where no single
// database guards what is sold: files, other services, jobs.

#pragma once

#include <mutex>
#include <string>

#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "strategies/strategy.h"

namespace holdfast::shop {

class UnderHoldfast : public Strategy {
 public:
  // Throws holdfast::Error when the engine of this URL cannot be opened.
  explicit UnderHoldfast(const std::string& url)
      : mutex_(Client::open(url).value(), "shop/stock") {}

  Purchase buy(Desk& desk) override {
    StockConnection& connection = desk.stock();  // connects before it locks
    const std::scoped_lock guard(mutex_);
    return read_then_write(connection);
  }

 private:
  Mutex mutex_;
};

}  // namespace holdfast::shop

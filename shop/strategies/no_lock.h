// SPDX-License-Identifier: Apache-2.0

// shop/strategies/no_lock.h - SELECT the count, then UPDATE it to one less.
//
// What is wrong: two customers read the same count, both write the same smaller one,
// and two items are sold where one is missing from the stock.

#pragma once

#include "strategies/strategy.h"

namespace holdfast::shop {

class NoLock : public Strategy {
 public:
  Purchase buy(Desk& desk) override { return read_then_write(desk.stock()); }
};

}  // namespace holdfast::shop

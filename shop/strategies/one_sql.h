// SPDX-License-Identifier: Apache-2.0

// shop/strategies/one_sql.h - UPDATE ... SET count = count - 1 WHERE count > 0.
//
// Nothing is wrong with it, and nothing is faster. It serves where one statement on one
// row says it all: it cannot look at the count before and after, nor at a second table.

#pragma once

#include "strategies/strategy.h"

namespace holdfast::shop {

class OneSql : public Strategy {
 public:
  Purchase buy(Desk& desk) override {
    return {desk.stock().take_one() ? Outcome::sold : Outcome::sold_out};
  }
};

}  // namespace holdfast::shop

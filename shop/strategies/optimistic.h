// SPDX-License-Identifier: Apache-2.0

// shop/strategies/optimistic.h - UPDATE ... WHERE version = the one that was read.
//
// What is wrong: the more customers there are, the more of them read a version that is
// old by the time they write, and begin anew. The table shows how often.

#pragma once

#include "strategies/pause.h"
#include "strategies/strategy.h"

namespace holdfast::shop {

class Optimistic : public Strategy {
 public:
  Purchase buy(Desk& desk) override {
    for (std::uint32_t retries = 0;; ++retries) {
      const Stock stock = desk.stock().read();
      if (stock.count <= 0) return {Outcome::sold_out, retries};
      if (desk.stock().write_if(stock)) return {Outcome::sold, retries};
      pause_up_to(std::chrono::milliseconds(2));
    }
  }
};

}  // namespace holdfast::shop

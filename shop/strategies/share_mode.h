// SPDX-License-Identifier: Apache-2.0

// shop/strategies/share_mode.h - SELECT ... LOCK IN SHARE MODE, then UPDATE.
//
// What is wrong: two customers may read at the same time, and then each waits until the
// other has let go of what it wants to write. MySQL ends one of them with a deadlock:
// the stock is right, and many requests fail.

#pragma once

#include "strategies/strategy.h"

namespace holdfast::shop {

class ShareMode : public Strategy {
 public:
  Purchase buy(Desk& desk) override {
    StockConnection& connection = desk.stock();
    Transaction transaction(connection);
    const Stock stock = connection.read_shared();
    if (stock.count <= 0) return {Outcome::sold_out};
    connection.write(stock.count - 1);
    transaction.commit();
    return {Outcome::sold};
  }
};

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// shop/strategies/for_update.h - pessimistic: SELECT ... FOR UPDATE, then UPDATE.
//
// What is wrong: nothing while everything is in one database. A connection is occupied
// for as long as a customer waits, and two rows in two orders are a deadlock. SQLite,
// which has no such statement, locks the whole file by BEGIN IMMEDIATE.

#pragma once

#include "strategies/strategy.h"

namespace holdfast::shop {

class ForUpdate : public Strategy {
 public:
  Purchase buy(Desk& desk) override {
    StockConnection& connection = desk.stock();
    Transaction transaction(connection);
    const Stock stock = connection.read_alone();
    if (stock.count <= 0) return {Outcome::sold_out};
    connection.write(stock.count - 1);
    transaction.commit();
    return {Outcome::sold};
  }
};

}  // namespace holdfast::shop

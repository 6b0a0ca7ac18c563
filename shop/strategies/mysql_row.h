// SPDX-License-Identifier: Apache-2.0

// shop/strategies/mysql_row.h - a lock that is a row with a unique name in MySQL.
//
// INSERT takes it, DELETE gives it back, and a customer who finds the row sleeps for 50
// ms.
//
// What is wrong: a service that dies leaves the row, and all others wait for ever.
// Waiters poll, so the lock is free for most of the time, and is taken in no order.

#pragma once

#include "strategies/strategy.h"
#include "strategies/under_lock.h"

namespace holdfast::shop {

class MysqlRowLock {
 public:
  explicit MysqlRowLock(Mysql& mysql) : mysql_(mysql) {}

  void lock() {
    while (!mysql_.insert("INSERT INTO tb_lock (lock_name) VALUES ('lock')")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  void unlock() { mysql_.run("DELETE FROM tb_lock WHERE lock_name = 'lock'"); }

 private:
  Mysql& mysql_;
};

class MysqlRow : public Strategy {
 public:
  Purchase buy(Desk& desk) override {
    MysqlRowLock lock(desk.mysql());
    return sell_under(lock, desk);
  }
};

}  // namespace holdfast::shop

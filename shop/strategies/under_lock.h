// SPDX-License-Identifier: Apache-2.0

// shop/strategies/under_lock.h - a sale under a lock made by hand.

#pragma once

#include "strategies/strategy.h"

namespace holdfast::shop {

// std::scoped_lock will not do: its destructor may not throw, and these unlock() do
// when their server does not answer.
template <class Lock>
Purchase sell_under(Lock& lock, Desk& desk) {
  StockConnection& connection = desk.stock();  // connects before it locks
  lock.lock();
  Purchase purchase;
  try {
    purchase = read_then_write(connection);
  } catch (...) {
    lock.unlock();
    throw;
  }
  lock.unlock();
  return purchase;
}

// A lock of the ladder is made anew for each sale, as a request makes it.
template <class Lock>
class UnderRedisLock : public Strategy {
 public:
  Purchase buy(Desk& desk) override {
    Lock lock(desk.redis());
    return sell_under(lock, desk);
  }
};

// All threads of a service share one session with ZooKeeper.
template <class Lock, class Session>
class UnderSession : public Strategy {
 public:
  explicit UnderSession(std::uint16_t port) : session_(port) {}

  Purchase buy(Desk& desk) override {
    Lock lock(session_);
    return sell_under(lock, desk);
  }

 private:
  Session session_;
};

}  // namespace holdfast::shop

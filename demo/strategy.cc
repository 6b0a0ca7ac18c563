// SPDX-License-Identifier: Apache-2.0

#include "strategy.h"

#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include "lock.h"

namespace holdfast::demo {
namespace {

Purchase sell_one(StockConnection& connection, const Stock& stock) {
  if (stock.count <= 0) return {Outcome::sold_out};
  connection.write(stock.count - 1);
  return {Outcome::sold};
}

Purchase read_then_write(StockConnection& connection) {
  return sell_one(connection, connection.read());
}

class NoLock : public Strategy {
 public:
  Purchase buy(StockConnection& connection) override {
    return read_then_write(connection);
  }
};

class ProcessMutex : public Strategy {
 public:
  Purchase buy(StockConnection& connection) override {
    const std::scoped_lock guard(mutex_);
    return read_then_write(connection);
  }

 private:
  std::mutex mutex_;
};

class OneStatement : public Strategy {
 public:
  Purchase buy(StockConnection& connection) override {
    return {connection.take_one() ? Outcome::sold : Outcome::sold_out};
  }
};

class Optimistic : public Strategy {
 public:
  Purchase buy(StockConnection& connection) override {
    for (std::uint32_t retries = 0;; ++retries) {
      const Stock stock = connection.read();
      if (stock.count <= 0) return {Outcome::sold_out, retries};
      if (connection.write_if(stock)) return {Outcome::sold, retries};
      back_off();
    }
  }

 private:
  static void back_off() {
    thread_local std::minstd_rand random(std::random_device{}());
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution(50, 2000)(random)));
  }
};

class Pessimistic : public Strategy {
 public:
  Purchase buy(StockConnection& connection) override {
    Transaction transaction(connection);
    const Purchase purchase = sell_one(connection, connection.read_alone());
    transaction.commit();
    return purchase;
  }
};

class Holdfast : public Strategy {
 public:
  explicit Holdfast(const std::string& lock) : mutex_(open_client(), lock) {}

  Purchase buy(StockConnection& connection) override {
    const std::scoped_lock guard(mutex_);
    return read_then_write(connection);
  }

 private:
  Mutex mutex_;
};

}  // namespace

std::unique_ptr<Strategy> make_strategy(int index, const std::string& lock) {
  switch (index) {
    case 0:
      return std::make_unique<NoLock>();
    case 1:
      return std::make_unique<ProcessMutex>();
    case 2:
      return std::make_unique<OneStatement>();
    case 3:
      return std::make_unique<Optimistic>();
    case 4:
      return std::make_unique<Pessimistic>();
    default:
      return std::make_unique<Holdfast>(lock);
  }
}

}  // namespace holdfast::demo

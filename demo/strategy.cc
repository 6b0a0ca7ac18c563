// SPDX-License-Identifier: Apache-2.0

#include "strategy.h"

#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include "lock.h"

namespace holdfast::demo {
namespace {

Purchase sell_one(Till& till, const Stock& stock) {
  if (stock.count <= 0) return {Outcome::sold_out};
  till.write(stock.count - 1);
  return {Outcome::sold};
}

Purchase read_then_write(Till& till) { return sell_one(till, till.read()); }

class NoLock : public Strategy {
 public:
  Purchase buy(Till& till) override { return read_then_write(till); }
};

class ProcessMutex : public Strategy {
 public:
  Purchase buy(Till& till) override {
    const std::scoped_lock guard(mutex_);
    return read_then_write(till);
  }

 private:
  std::mutex mutex_;
};

class OneStatement : public Strategy {
 public:
  Purchase buy(Till& till) override {
    return {till.take_one() ? Outcome::sold : Outcome::sold_out};
  }
};

class Optimistic : public Strategy {
 public:
  Purchase buy(Till& till) override {
    for (std::uint32_t retries = 0;; ++retries) {
      const Stock stock = till.read();
      if (stock.count <= 0) return {Outcome::sold_out, retries};
      if (till.write_if(stock)) return {Outcome::sold, retries};
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
  Purchase buy(Till& till) override {
    Transaction transaction(till);
    const Purchase purchase = sell_one(till, till.read_alone());
    transaction.commit();
    return purchase;
  }
};

class Holdfast : public Strategy {
 public:
  explicit Holdfast(const std::string& lock) : mutex_(open_client(), lock) {}

  Purchase buy(Till& till) override {
    const std::scoped_lock guard(mutex_);
    return read_then_write(till);
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

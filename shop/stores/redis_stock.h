// SPDX-License-Identifier: Apache-2.0

// shop/stores/redis_stock.h - the stock as a number in Redis, and its fence beside it.

#pragma once

#include "stores/redis.h"
#include "stores/stock.h"

namespace holdfast::shop {

// It has no version and no transaction that locks what it reads:
// strategies/redis_watch.h is the optimistic way of Redis.
class RedisStock final : public StockConnection {
 public:
  static const std::string kStockKey;

  explicit RedisStock(const Places& places);

  void fill(int count) override;
  Stock read() override;
  void write(int count) override;
  bool take_one() override;
  bool write_if(const Stock& expect) override;
  bool write_fenced(int count, std::uint64_t token) override;
  void begin() override;
  Stock read_alone() override;
  Stock read_shared() override;
  void commit() override;
  void roll_back() noexcept override {}

 private:
  Redis redis_;
};

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// shop/strategies/redis_watch.h - optimistic in Redis: WATCH, GET, MULTI, SET, EXEC.
//
// What is wrong: EXEC fails for every customer but one each time the stock changes, so
// a crowd spends its time on retries, at five commands for each.

#pragma once

#include <cstdlib>

#include "stores/redis_stock.h"
#include "strategies/pause.h"
#include "strategies/strategy.h"

namespace holdfast::shop {

class RedisWatch : public Strategy {
 public:
  Purchase buy(Desk& desk) override {
    Redis& redis = desk.redis();
    for (std::uint32_t retries = 0;; ++retries) {
      redis.watch(RedisStock::kStockKey);
      const int count =
          std::atoi(redis.get(RedisStock::kStockKey).value_or("0").c_str());
      if (count <= 0) {
        redis.unwatch();
        return {Outcome::sold_out, retries};
      }
      if (redis.exec({"SET", RedisStock::kStockKey, std::to_string(count - 1)})) {
        return {Outcome::sold, retries};
      }
      pause_up_to(std::chrono::milliseconds(50));
    }
  }
};

}  // namespace holdfast::shop

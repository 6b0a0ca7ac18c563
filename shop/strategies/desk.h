// SPDX-License-Identifier: Apache-2.0

// shop/strategies/desk.h - the connections of one thread of a service.

#pragma once

#include <memory>
#include <optional>

#include "places.h"
#include "stores/mysql.h"
#include "stores/redis.h"
#include "stores/till.h"

namespace holdfast::shop {

// Each connection is opened when it is first asked for; StoreError when it cannot be.
class Desk {
 public:
  Desk(Store store, Places places) : store_(store), places_(std::move(places)) {}

  Till& till() {
    if (!till_) till_ = open_till(store_, places_);
    return *till_;
  }
  Redis& redis() {
    if (!redis_) redis_.emplace(places_.redis);
    return *redis_;
  }
  Mysql& mysql() {
    if (!mysql_) mysql_.emplace(places_);
    return *mysql_;
  }

 private:
  const Store store_;
  const Places places_;
  std::unique_ptr<Till> till_;
  std::optional<Redis> redis_;
  std::optional<Mysql> mysql_;
};

}  // namespace holdfast::shop

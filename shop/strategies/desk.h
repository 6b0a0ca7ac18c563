// SPDX-License-Identifier: Apache-2.0

// shop/strategies/desk.h - the connections of one thread of a service.

#pragma once

#include <memory>
#include <optional>

#include "places.h"
#include "stores/mysql.h"
#include "stores/presence.h"
#include "stores/redis.h"
#include "stores/stock.h"

namespace holdfast::shop {

// Each connection is opened when it is first asked for; StoreError when it cannot be.
class Desk {
 public:
  Desk(Store store, Places places, Presence& presence, Presence::Service& service)
      : store_(store),
        places_(std::move(places)),
        presence_(presence),
        service_(service) {}

  SeenStock& stock() {
    if (!stock_) stock_.emplace(open_stock(store_, places_), presence_, service_);
    return *stock_;
  }
  void leave() noexcept {
    if (stock_) stock_->leave();
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
  Presence& presence_;
  Presence::Service& service_;
  std::optional<SeenStock> stock_;
  std::optional<Redis> redis_;
  std::optional<Mysql> mysql_;
};

// Whatever way a purchase ends, its request is no longer inside then.
class LeaveGuard {
 public:
  explicit LeaveGuard(Desk& desk) noexcept : desk_(desk) {}
  LeaveGuard(const LeaveGuard&) = delete;
  LeaveGuard& operator=(const LeaveGuard&) = delete;
  ~LeaveGuard() { desk_.leave(); }

 private:
  Desk& desk_;
};

}  // namespace holdfast::shop

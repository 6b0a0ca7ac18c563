// SPDX-License-Identifier: Apache-2.0

// shop/strategies/desk.h - the connections of one thread of a service.

#pragma once

#include <memory>
#include <optional>

#include "places.h"
#include "stores/mysql.h"
#include "stores/presence.h"
#include "stores/redis.h"
#include "stores/till.h"

namespace holdfast::shop {

// Each connection is opened when it is first asked for; StoreError when it cannot be.
class Desk {
 public:
  Desk(Store store, Places places, Presence& presence, Presence::Service& service)
      : store_(store),
        places_(std::move(places)),
        presence_(presence),
        service_(service) {}

  SeenTill& till() {
    if (!till_) till_.emplace(open_till(store_, places_), presence_, service_);
    return *till_;
  }
  void leave() noexcept {
    if (till_) till_->leave();
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
  std::optional<SeenTill> till_;
  std::optional<Redis> redis_;
  std::optional<Mysql> mysql_;
};

// Whatever way a purchase ends, its request is no longer inside then.
class Visit {
 public:
  explicit Visit(Desk& desk) noexcept : desk_(desk) {}
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() { desk_.leave(); }

 private:
  Desk& desk_;
};

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// A process is stopped after it has read the stock, as a long pause of a garbage
// collector stops one. Its renewal stops with it, the lock expires, and another sells
// an item. Then the process goes on and writes what it has worked out: two items are
// sold, and one is missing. Renewal cannot help. The stock refuses Holdfast's token,
// which is an old one.

#include "holdfast/mutex.h"
#include "scenes/parts.h"
#include "scenes/stage.h"
#include "stores/stock.h"
#include "strategies/ladder/v7_renewed.h"

namespace holdfast::shop {
namespace {

const std::string kV7Key = "scene-v7";
const HandMade kRenewed{.key = kV7Key, .lease = std::chrono::seconds(1)};
const LeaseOptions kRenewedLease{.ttl = kRenewed.lease};

constexpr int kBefore = 10;

std::unique_ptr<StockConnection> open_redis_stock(const Places& places) {
  return open_stock(Store::redis, places);
}

// The scene stops the process while it waits here.
void wait_for(const std::string& go) {
  say(kHolding);
  soon([&] { return std::filesystem::exists(go); });
}

}  // namespace

void part_v7(const Places& places, const std::string& go) {
  const auto connection = open_redis_stock(places);
  Redis redis(places.redis);
  V7Renewed lock(redis, kRenewed);
  lock.lock();
  const int count = connection->read().count;
  wait_for(go);
  connection->write(count - 1);
  say(kWrote);
  lock.unlock();
}

bool v7_writes_after_a_pause(const Stage& stage) {
  const auto connection = open_redis_stock(stage.places);
  connection->fill(kBefore);
  Child part = start_part(stage, "v7");
  part.await(kHolding, kSceneLimit);
  part.pause();
  Redis redis(stage.places.redis);
  V7Renewed lock(redis, kRenewed);
  lock.lock();  // when the key of the other has expired
  connection->write(connection->read().count - 1);
  lock.unlock();
  let_go(stage);
  part.resume();
  part.await(kWrote, kSceneLimit);
  constexpr int kSold = 2;
  return connection->read().count > kBefore - kSold;
}

void part_holdfast_pause(const Places& places, const std::string& go) {
  const auto connection = open_redis_stock(places);
  Mutex mutex(open_engine(places), kV7Key, kRenewedLease);
  const auto hold = mutex.acquire().value();
  const int count = connection->read().count;
  wait_for(go);
  say(connection->write_fenced(count - 1, hold.token().value) ? kWrote : kRefused);
}

bool holdfast_is_fenced_after_a_pause(const Stage& stage) {
  const auto connection = open_redis_stock(stage.places);
  connection->fill(kBefore);
  Child part = start_part(stage, "holdfast-pause");
  part.await(kHolding, kSceneLimit);
  part.pause();
  {
    Mutex mutex(open_engine(stage.places), kV7Key, kRenewedLease);
    const auto hold = mutex.acquire({.wait = kSceneLimit}).value();
    if (!connection->write_fenced(connection->read().count - 1, hold.token().value))
      return false;
  }
  let_go(stage);
  part.resume();
  part.await(kRefused, kSceneLimit);
  return connection->read().count == kBefore - 1;
}

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// One holds the lock, a second waits for it, and a third waits behind the second. The
// service of the second dies. Stage 3 takes the end of the node before its own for its
// turn, so the third enters, and two are inside. Holdfast looks at the queue again.

#include "strategies/zookeeper_watch.h"

#include <future>

#include "holdfast/admin.h"
#include "holdfast/client_options.h"
#include "holdfast/mutex.h"
#include "scenes/parts.h"
#include "scenes/stage.h"

namespace holdfast::shop {
namespace {

const std::string kWatchRoot = "/scene-watch";
const std::string kWatchName = "scene-watch";

// The node of a dead waiter goes after this time.
constexpr std::chrono::milliseconds kWaiterSession{1000};

bool is_queue_of(Zookeeper& zookeeper, std::size_t nodes) {
  return soon([&] { return zookeeper.children().size() == nodes; });
}

bool has_waiters(const Client& client, std::size_t count) {
  return soon([&] {
    const auto state = inspect(client, {engine::Kind::mutex, kWatchName});
    return state && state->waiters.size() == count;
  });
}

}  // namespace

void part_zookeeper_watch(const Places& places, const std::string&) {
  Zookeeper session(places.zookeeper, kWatchRoot, kWaiterSession);
  ZookeeperWatch(session).lock();
}

bool zookeeper_watch_enters_too_early(const Stage& stage) {
  Zookeeper session(stage.places.zookeeper, kWatchRoot);
  ZookeeperWatch first(session);
  first.lock();
  Child second = start_part(stage, "zookeeper-watch");
  is_queue_of(session, 2);
  ZookeeperWatch third(session);
  auto entered = std::async(std::launch::async, [&] { third.lock(); });
  is_queue_of(session, 3);
  second.kill();
  const bool both = entered.wait_for(kSceneLimit) == std::future_status::ready;
  first.unlock();  // It was inside until now.
  entered.get();
  third.unlock();
  return both;
}

void part_holdfast_wait(const Places& places, const std::string&) {
  Mutex mutex(Client::open(places.lock_url, {.ttl = kWaiterSession}).value(),
              kWatchName);
  (void)mutex.acquire();
}

bool holdfast_looks_again(const Stage& stage) {
  const Client client = open_engine(stage.places);
  Mutex first(client, kWatchName);
  auto hold = first.acquire();
  Child second = start_part(stage, "holdfast-wait");
  has_waiters(client, 1);
  Mutex third(open_engine(stage.places), kWatchName);
  auto entered = std::async(std::launch::async,
                            [&] { return third.acquire({.wait = kSceneLimit}); });
  has_waiters(client, 2);
  second.kill();
  const bool waits = has_waiters(client, 1) &&
                     entered.wait_for(kWaiterSession) == std::future_status::timeout;
  const bool whole = waits && hold && hold->valid() && hold->release();
  return whole && entered.get().has_value();
}

}  // namespace holdfast::shop

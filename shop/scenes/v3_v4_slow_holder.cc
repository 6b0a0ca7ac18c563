// SPDX-License-Identifier: Apache-2.0

// A holder is slower than the expiry of its key. The next one takes the lock, and then
// the first one unlocks. Version 3 deletes the key, which is the next holder's. Version
// 4 looks first, and fails when the key expires between the look and the deletion.

#include "holdfast/mutex.h"
#include "scenes/parts.h"
#include "scenes/stage.h"
#include "strategies/ladder/v3_expiry.h"
#include "strategies/ladder/v4_owner_check.h"

namespace holdfast::shop {
namespace {

const std::string kSlowKey = "scene-slow";

// The first lease must last until the holder has looked at the key, and the second one
// until the end of the scene.
const HandMade kFirst{.key = kSlowKey, .lease = std::chrono::seconds(1)};
const HandMade kSecond{.key = kSlowKey, .lease = kSceneLimit};

}  // namespace

bool v3_deletes_the_next_lock(const Stage& stage) {
  Redis redis(stage.places.redis);
  V3Expiry first(redis, kFirst);
  V3Expiry second(redis, kSecond);
  first.lock();
  second.lock();   // when the key of the first has expired
  first.unlock();  // at last
  const bool gone = !redis.get(kSlowKey);
  second.unlock();
  return gone;
}

bool v4_deletes_it_in_the_gap(const Stage& stage) {
  Redis redis(stage.places.redis);
  V4OwnerCheck first(redis, kFirst);
  V4OwnerCheck second(redis, kSecond);
  first.in_the_gap = [&] { second.lock(); };  // The pause is as long as the expiry.
  first.lock();
  first.unlock();
  const bool gone = !redis.get(kSlowKey);
  second.unlock();
  return gone;
}

bool holdfast_leaves_the_next_lock(const Stage& stage) {
  const Client client = open_engine(stage.places);
  Mutex slow(client, kSlowKey, LeaseOptions::fixed(kFirst.lease));
  Mutex next(client, kSlowKey);
  auto first = slow.acquire();
  auto second = next.acquire({.wait = kSceneLimit});
  if (!first || !second || !first->lost().stop_requested()) return false;
  (void)first->release();
  const auto third = Mutex(client, kSlowKey).acquire({.wait = std::chrono::seconds(0)});
  return second->valid() && !third && third.error() == Errc::timed_out;
}

}  // namespace holdfast::shop

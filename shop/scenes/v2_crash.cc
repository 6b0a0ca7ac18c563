// SPDX-License-Identifier: Apache-2.0

// A service dies between lock() and unlock(). The key of versions 1 and 2 has no
// expiry, so it is still there, and Redis says that it always will be.

#include <mutex>

#include "holdfast/mutex.h"
#include "scenes/parts.h"
#include "scenes/stage.h"
#include "strategies/ladder/v2_loop.h"

namespace holdfast::shop {
namespace {

const std::string kV2Key = "scene-v2";

constexpr LeaseOptions kShortLease{.ttl = std::chrono::seconds(1)};

void hold_until_killed() {
  say(kHolding);
  std::this_thread::sleep_for(kSceneLimit);
}

}  // namespace

void part_v2(const Places& places, const std::string&) {
  Redis redis(places.redis);
  V2Loop(redis, {.key = kV2Key}).lock();
  hold_until_killed();
}

void part_holdfast_crash(const Places& places, const std::string&) {
  Mutex mutex(open_engine(places), kV2Key, kShortLease);
  const std::scoped_lock guard(mutex);
  hold_until_killed();
}

bool v2_stays_locked_after_a_crash(const Stage& stage) {
  Redis redis(stage.places.redis);
  redis.del(kV2Key);
  Child part = start_part(stage, "v2");
  part.await(kHolding, kSceneLimit);
  part.kill();
  constexpr long long kNeverExpires = -1;
  const long long left = redis.eval("return redis.call('pttl', KEYS[1])", {kV2Key}, {});
  redis.del(kV2Key);
  return left == kNeverExpires;
}

bool holdfast_goes_on_after_a_crash(const Stage& stage) {
  Child part = start_part(stage, "holdfast-crash");
  part.await(kHolding, kSceneLimit);
  part.kill();
  Mutex mutex(open_engine(stage.places), kV2Key, kShortLease);
  return mutex.acquire({.wait = kSceneLimit}).has_value();
}

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// A holder is slower than the expiry of its key, which version 6 does not renew:
// another one comes in beside it.

#include <mutex>

#include "holdfast/mutex.h"
#include "scenes/parts.h"
#include "scenes/stage.h"
#include "strategies/ladder/v6_reentrant.h"

namespace holdfast::shop {
namespace {

const std::string kV6Key = "scene-v6";

constexpr std::chrono::milliseconds kV6Lease{1000};

}  // namespace

bool v6_expires_under_its_holder(const Stage& stage) {
  Redis redis(stage.places.redis);
  V6Reentrant slow(redis, {.key = kV6Key, .lease = kV6Lease});
  V6Reentrant next(redis, {.key = kV6Key, .lease = kSceneLimit});
  slow.lock();
  const bool both = soon([&] { return next.try_lock(); });  // `slow` is still at work.
  next.unlock();
  slow.unlock();
  return both;
}

bool holdfast_is_renewed(const Stage& stage) {
  const Client client = open_engine(stage.places);
  Mutex slow(client, kV6Key, {.ttl = kV6Lease});
  Mutex next(client, kV6Key);
  const std::scoped_lock guard(slow);
  const auto beside = next.acquire({.wait = 3 * kV6Lease});
  return !beside && beside.error() == Errc::timed_out && !slow.lost().stop_requested();
}

}  // namespace holdfast::shop

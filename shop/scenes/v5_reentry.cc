// SPDX-License-Identifier: Apache-2.0

// A function that holds the lock calls another that locks it, too. Version 5 is refused
// its own lock, and would ask until its expiry ends both.

#include "holdfast/recursive_mutex.h"
#include "scenes/parts.h"
#include "scenes/stage.h"
#include "strategies/ladder/v5_lua.h"

namespace holdfast::shop {
namespace {

const std::string kV5Key = "scene-v5";

}  // namespace

bool v5_waits_for_itself(const Stage& stage) {
  Redis redis(stage.places.redis);
  V5Lua lock(redis, {.key = kV5Key, .lease = kSceneLimit});
  lock.lock();
  const bool again = lock.try_lock();
  lock.unlock();
  return !again;
}

bool holdfast_is_reentrant(const Stage& stage) {
  const Client client = open_engine(stage.places);
  RecursiveMutex mutex(client, kV5Key);
  mutex.lock();
  if (!mutex.try_lock()) return false;
  mutex.unlock();
  bool another = true;
  std::thread([&] {
    another = mutex.try_lock();
    if (another) mutex.unlock();
  }).join();
  mutex.unlock();
  return !another;  // The inner unlock() has not given it away.
}

}  // namespace holdfast::shop

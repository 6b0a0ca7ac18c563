// SPDX-License-Identifier: Apache-2.0

// The lock is taken and stays taken. lock() of version 1 calls itself for each try, so
// its thread runs out of stack and the process dies. The thread has a small stack and
// makes no pauses, so that this takes less than the hours it would take otherwise.

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <mutex>

#include "errors.h"
#include "holdfast/mutex.h"
#include "scenes/parts.h"
#include "scenes/stage.h"
#include "strategies/ladder/v1_recursive.h"

namespace holdfast::shop {
namespace {

constexpr std::size_t kSmallStack = std::size_t{128} * 1024;
const std::string kV1Key = "scene-v1";

void run_in_little_stack(void* (*body)(void*), const Places& places) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSmallStack);
  pthread_t thread{};
  if (pthread_create(&thread, &attributes, body, const_cast<Places*>(&places)) != 0) {
    throw Trouble(kInternal, "no thread for the scene");
  }
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

void* lock_by_v1(void* argument) {
  Redis redis(static_cast<const Places*>(argument)->redis);
  V1Recursive(redis, {.key = kV1Key, .pause = {}}).lock();
  return nullptr;
}

void* lock_by_holdfast(void* argument) {
  Mutex mutex(open_engine(*static_cast<const Places*>(argument)), kV1Key);
  const auto hold = mutex.acquire({.wait = std::chrono::seconds(1)});
  say(hold.has_value() ? kHolding : kRefused);
  return nullptr;
}

}  // namespace

void part_v1(const Places& places, const std::string&) {
  run_in_little_stack(lock_by_v1, places);
}

void part_holdfast_stack(const Places& places, const std::string&) {
  run_in_little_stack(lock_by_holdfast, places);
}

bool v1_overflows_the_stack(const Stage& stage) {
  Redis redis(stage.places.redis);
  redis.set(kV1Key, "another service");
  const Child part = start_part(stage, "v1");
  const int ended = part.wait(kSceneLimit);
  redis.del(kV1Key);
  return ended == 128 + SIGSEGV;
}

bool holdfast_waits_in_little_stack(const Stage& stage) {
  Mutex mutex(open_engine(stage.places), kV1Key);
  const std::scoped_lock guard(mutex);
  const Child part = start_part(stage, "holdfast-stack");
  part.await(kRefused, kSceneLimit);
  return part.wait(kSceneLimit) == 0;
}

}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

// A RecursiveMutex is re-entrant per client and thread, and a Mutex on the wire.

#include "holdfast/recursive_mutex.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

#include "conformance/conformance.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RecursiveMutexCases : public Conformance {};
HOLDFAST_CONFORMANCE(RecursiveMutexCases);

TEST_P(RecursiveMutexCases, CountsItsLevels) {
  RecursiveMutex mutex(open(), name("a"));
  Mutex other(open(), name("a"));
  EXPECT_EQ(mutex.depth(), 0u);
  mutex.lock();
  mutex.lock();
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_EQ(mutex.depth(), 3u);
  const FencingToken token = mutex.token();
  mutex.unlock();
  mutex.unlock();
  EXPECT_EQ(mutex.token(), token);
  EXPECT_FALSE(other.try_lock());
  mutex.unlock();
  EXPECT_EQ(mutex.depth(), 0u);
  EXPECT_FALSE(mutex.token());
  EXPECT_TRUE(mutex.lost().stop_requested());
  EXPECT_TRUE(other.try_lock_for(patience()));
  other.unlock();
}

TEST_P(RecursiveMutexCases, SeveralObjectsAreOneLock) {
  const Client client = open();
  RecursiveMutex outer(client, name("a"));
  RecursiveMutex inner(client, name("a"));
  outer.lock();
  ASSERT_TRUE(inner.try_lock());
  EXPECT_EQ(outer.depth(), 2u);
  EXPECT_EQ(inner.token(), outer.token());
  inner.unlock();
  inner.unlock();
  EXPECT_EQ(outer.depth(), 0u);
}

TEST_P(RecursiveMutexCases, AnotherClientIsAnotherOwner) {
  RecursiveMutex mutex(open(), name("a"));
  RecursiveMutex other(open(), name("a"));
  std::scoped_lock guard(mutex);
  EXPECT_FALSE(other.try_lock());
  EXPECT_EQ(other.depth(), 0u);
}

TEST_P(RecursiveMutexCases, AForeignThreadNeitherEntersNorUnlocks) {
  RecursiveMutex mutex(open(), name("a"));
  mutex.lock();
  std::jthread([&] {
    EXPECT_EQ(mutex.depth(), 0u);
    EXPECT_FALSE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock_for(scaled(20ms)));
    mutex.unlock();
    const auto refused = mutex.release();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::not_owner);
  }).join();
  EXPECT_EQ(mutex.depth(), 1u);
  EXPECT_FALSE(Mutex(open(), name("a")).try_lock());
  EXPECT_TRUE(mutex.release());
  const auto refused = mutex.release();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_owner);
}

TEST_P(RecursiveMutexCases, ThreadsTakeTurns) {
  const Client client = open();
  const std::string shared = name("a");
  long number = 0;
  {
    std::jthread threads[4];
    for (auto& each : threads) {
      each = std::jthread([&] {
        RecursiveMutex mutex(client, shared);
        for (int j = 0; j < 200; ++j) {
          std::scoped_lock outer(mutex);
          std::scoped_lock inner(mutex);
          ++number;
        }
      });
    }
  }
  EXPECT_EQ(number, 4 * 200);
}

TEST_P(RecursiveMutexCases, ALostHoldIsNotReEntered) {
  RecursiveMutex mutex(open(), name("a"), LeaseOptions::fixed(scaled(100ms)));
  Mutex other(open(), name("a"));
  mutex.lock();
  mutex.lock();
  ASSERT_TRUE(other.try_lock_for(patience()));
  const auto refused = mutex.acquire();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_held);
  mutex.unlock();
  mutex.unlock();
  EXPECT_FALSE(mutex.try_lock()) << "it released what belongs to another";
  other.unlock();
  EXPECT_TRUE(mutex.try_lock_for(patience()));
  mutex.unlock();
}

}  // namespace
}  // namespace holdfast::test

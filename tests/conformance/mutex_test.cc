// SPDX-License-Identifier: Apache-2.0

// A Mutex works with what the standard library builds on mutexes.

#include "holdfast/mutex.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MutexCases : public Conformance {};
HOLDFAST_CONFORMANCE(MutexCases);

TEST_P(MutexCases, TryLockSaysNoWithoutThrowing) {
  Mutex mutex(open(), name("a"));
  Mutex other(open(), name("a"));
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_FALSE(other.try_lock());
  EXPECT_FALSE(other.try_lock_for(scaled(20ms)));
  EXPECT_FALSE(other.try_lock_until(std::chrono::system_clock::now() + scaled(20ms)));
  EXPECT_FALSE(other.try_lock_for(-1s));
  mutex.unlock();
  EXPECT_TRUE(other.try_lock_for(std::chrono::hours::max()));
  other.unlock();
}

TEST_P(MutexCases, IsNotReEntrant) {
  Mutex mutex(open(), name("a"));
  std::scoped_lock guard(mutex);
  EXPECT_FALSE(mutex.try_lock());
}

TEST_P(MutexCases, TellsTheFactsOfItsHold) {
  Mutex mutex(open(), name("a"));
  EXPECT_EQ(mutex.name(), name("a"));
  EXPECT_FALSE(mutex.token());
  EXPECT_TRUE(mutex.lost().stop_requested());
  {
    std::scoped_lock guard(mutex);
    EXPECT_TRUE(mutex.token());
    EXPECT_FALSE(mutex.lost().stop_requested());
  }
  EXPECT_FALSE(mutex.token());
  EXPECT_TRUE(mutex.lost().stop_requested());
}

TEST_P(MutexCases, AnyThreadMayUnlock) {
  Mutex mutex(open(), name("a"));
  mutex.lock();
  std::jthread([&] { mutex.unlock(); }).join();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST_P(MutexCases, IsUnlockedByItsDestructor) {
  Mutex other(open(), name("a"));
  {
    Mutex mutex(open(), name("a"));
    mutex.lock();
  }
  EXPECT_TRUE(other.try_lock());
  other.unlock();
}

TEST_P(MutexCases, StdLockTakesTwoInAnyOrder) {
  const Client one = open();
  const Client two = open();
  const auto contend = [this](const Client& client, bool turned) {
    Mutex a(client, name("a"));
    Mutex b(client, name("b"));
    for (int i = 0; i < 25; ++i) {
      if (turned) {
        std::scoped_lock both(b, a);
      } else {
        std::scoped_lock both(a, b);
      }
    }
  };
  std::jthread first(contend, one, false);
  std::jthread second(contend, two, true);
}

TEST_P(MutexCases, ServesAConditionVariable) {
  const Client client = open();
  const std::string shared = name("a");
  Mutex mutex(client, shared);
  std::condition_variable_any changed;
  bool ready = false;
  std::jthread other([&] {
    std::unique_lock lock(mutex);
    ready = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  EXPECT_TRUE(changed.wait_for(lock, patience(), [&] { return ready; }));
  EXPECT_TRUE(lock.owns_lock());
}

TEST_P(MutexCases, ATimeoutNamesTheHolder) {
  ClientOptions options;
  options.payload = "the-holder";
  Mutex mutex(engine().open(options), name("a"));
  const auto hold = mutex.acquire().value();
  const auto refused = Mutex(open(), name("a")).acquire({.wait = scaled(20ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("the-holder"), std::string::npos)
      << refused.error().message();
}

}  // namespace
}  // namespace holdfast::test

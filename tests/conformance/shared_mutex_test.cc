// SPDX-License-Identifier: Apache-2.0

// SharedMutex is tested as a primitive here. The rules of its queue are in
// shared_claims_test.cc.

#include "holdfast/shared_mutex.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "conformance/conformance.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class SharedMutexes : public Conformance {
 protected:
  SharedMutex mutex() { return {open(), name("a")}; }

  // These say what another client can acquire at once.
  bool can_read() { return mutex().acquire_shared(kNow).has_value(); }
  bool can_write() { return mutex().acquire(kNow).has_value(); }
};
HOLDFAST_CONFORMANCE(SharedMutexes);

TEST_P(SharedMutexes, WorkWithTheStandardsLocks) {
  auto one = mutex();
  {
    std::shared_lock reading(one);
    EXPECT_TRUE(can_read());
    EXPECT_FALSE(can_write());
  }
  {
    std::unique_lock writing(one);
    EXPECT_FALSE(can_read());
    EXPECT_FALSE(can_write());
  }
  std::unique_lock timed(one, scaled(100ms));
  EXPECT_TRUE(timed.owns_lock());
  EXPECT_TRUE(one.token() || !open().traits(engine::Kind::shared_mutex).fences);
  EXPECT_FALSE(one.lost().stop_requested());
  timed.unlock();
  EXPECT_TRUE(one.lost().stop_requested());
  EXPECT_TRUE(can_write());
}

TEST_P(SharedMutexes, TimeOutAsAsked) {
  auto one = mutex();
  auto other = mutex();
  const auto hold = one.acquire().value();
  EXPECT_FALSE(other.try_lock());
  EXPECT_FALSE(other.try_lock_shared());
  EXPECT_FALSE(other.try_lock_for(scaled(20ms)));
  EXPECT_FALSE(other.try_lock_shared_for(scaled(20ms)));
  EXPECT_FALSE(other.try_lock_until(std::chrono::system_clock::now()));
  EXPECT_FALSE(other.try_lock_shared_until(std::chrono::steady_clock::now()));
}

TEST_P(SharedMutexes, AreReentrantOnEachSide) {
  const Client client = open();
  SharedMutex one(client, name("a"));
  SharedMutex same(client, name("a"));
  one.lock();
  same.lock();
  one.unlock();
  EXPECT_FALSE(can_read());
  same.unlock();
  one.lock_shared();
  same.lock_shared();
  one.unlock_shared();
  EXPECT_FALSE(can_write());
  EXPECT_TRUE(can_read());
  same.unlock_shared();
  EXPECT_TRUE(can_write());
}

TEST_P(SharedMutexes, AReaderIsReentrantAlsoWhenAWriterWaits) {
  auto one = mutex();
  one.lock_shared();
  auto writer = std::async(std::launch::async, [&, client = open()] {
    return SharedMutex(client, name("a")).acquire({.wait = patience()}).has_value();
  });
  ASSERT_TRUE(waiting(open(), {engine::Kind::shared_mutex, name("a")}, 1));
  EXPECT_TRUE(one.try_lock_shared());
  one.unlock_shared();
  one.unlock_shared();
  EXPECT_TRUE(writer.get());
}

TEST_P(SharedMutexes, AWriterMayReadAndStaysAReader) {
  auto one = mutex();
  one.lock();
  one.lock_shared();
  EXPECT_FALSE(can_read());
  one.unlock();
  if (open().traits(engine::Kind::shared_mutex).downgrades) {
    EXPECT_TRUE(can_read());
  }
  EXPECT_FALSE(can_write());
  one.unlock_shared();
  EXPECT_TRUE(can_write());
}

TEST_P(SharedMutexes, AReaderCannotBecomeAWriter) {
  auto one = mutex();
  one.lock_shared();
  EXPECT_THROW(one.lock(), Error);
  try {
    (void)one.try_lock();
    ADD_FAILURE() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::would_deadlock);
  }
  EXPECT_FALSE(can_write());
  EXPECT_TRUE(can_read());
  one.unlock_shared();

  auto hold = one.acquire_shared().value();
  const auto refused = hold.upgrade();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::would_deadlock);
  EXPECT_TRUE(hold.valid());
  auto writer = (hold.release().value(), one.acquire().value());
  EXPECT_TRUE(writer.upgrade());
}

TEST_P(SharedMutexes, ADowngradeWakesReadersAndKeepsWritersOut) {
  auto one = mutex();
  auto hold = one.acquire().value();
  EXPECT_TRUE(hold.exclusive());
  auto reader = std::async(std::launch::async, [&, client = open()] {
    auto mine = SharedMutex(client, name("a")).acquire_shared({.wait = patience()});
    return mine.has_value();
  });
  ASSERT_TRUE(waiting(open(), {engine::Kind::shared_mutex, name("a")}, 1));
  ASSERT_TRUE(hold.downgrade());
  EXPECT_FALSE(hold.exclusive());
  EXPECT_TRUE(hold.downgrade()) << "it is shared already";
  if (open().traits(engine::Kind::shared_mutex).downgrades) {
    EXPECT_TRUE(reader.get());
  }
  EXPECT_FALSE(can_write());
  EXPECT_TRUE(hold.valid());
  EXPECT_TRUE(hold.release());
  if (reader.valid()) {
    EXPECT_TRUE(reader.get()) << "it stands before the writer";
  }
  EXPECT_TRUE(can_write());
}

TEST_P(SharedMutexes, ADowngradedHoldIsRenewed) {
  const auto ttl = scaled(600ms);
  SharedMutex one(open(ttl), name("a"));
  auto hold = one.acquire().value();
  ASSERT_TRUE(hold.downgrade());
  EXPECT_TRUE(throughout(2 * ttl, [&] { return hold.valid(); }));
  EXPECT_FALSE(can_write());
}

TEST_P(SharedMutexes, ADowngradeRacesWithRenewals) {
  const auto ttl = scaled(900ms);
  SharedMutex one(open(ttl), name("a"));
  for (int i = 0; i < 40; ++i) {
    auto hold = one.acquire().value();
    std::this_thread::sleep_for(scaled(std::chrono::milliseconds(3 * (i % 5))));
    const auto changed = hold.downgrade();
    ASSERT_TRUE(changed) << i << ": " << changed.error().message();
    EXPECT_TRUE(hold.valid());
    EXPECT_TRUE(hold.release());
  }
}

TEST_P(SharedMutexes, BelongToTheThreadThatLocked) {
  auto one = mutex();
  one.lock();
  std::jthread([&] {
    one.unlock();
    EXPECT_FALSE(one.try_lock_shared());
    EXPECT_FALSE(one.token());
    EXPECT_TRUE(one.lost().stop_requested());
  }).join();
  EXPECT_FALSE(can_read());
  one.unlock();
  EXPECT_TRUE(can_write());
}

TEST_P(SharedMutexes, ALostHoldIsNotEnteredAgain) {
  SharedMutex one(open(), name("a"), LeaseOptions::fixed(scaled(100ms)));
  one.lock();
  ASSERT_TRUE(eventually([&] { return one.lost().stop_requested(); }));
  try {
    one.lock_shared();
    ADD_FAILURE() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_held);
  }
  one.unlock();
  EXPECT_TRUE(one.try_lock_for(patience()));
  one.unlock();
}

TEST_P(SharedMutexes, ManyReadersAndWritersKeepTheRule) {
  int shared = 0;
  std::atomic<int> readers{0};
  std::atomic<bool> writing{false};
  {
    std::vector<std::jthread> threads;
    threads.reserve(6);
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&, client = open(), writes = i < 2] {
        SharedMutex mine(client, name("a"));
        for (int j = 0; j < 25; ++j) {
          if (writes) {
            std::unique_lock lock(mine);
            EXPECT_FALSE(writing.exchange(true));
            EXPECT_EQ(readers, 0);
            ++shared;
            writing = false;
          } else {
            std::shared_lock lock(mine);
            ++readers;
            EXPECT_FALSE(writing);
            --readers;
          }
        }
      });
    }
  }
  EXPECT_EQ(shared, 50);
}

}  // namespace
}  // namespace holdfast::test

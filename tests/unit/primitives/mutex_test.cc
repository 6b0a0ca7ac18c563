// SPDX-License-Identifier: Apache-2.0

#include "holdfast/mutex.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "support/eventually.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::scaled;
using test::Sort;

class MutexTest : public testing::TestWithParam<Sort> {
 protected:
  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  Client client = test::join(world);
  Client rival = test::join(world);
  Mutex mutex{client, "a"};
  Mutex theirs{rival, "a"};
};

INSTANTIATE_TEST_SUITE_P(Sorts, MutexTest,
                         testing::Values(Sort::leased_with_gate, Sort::leased,
                                         Sort::with_gate, Sort::plain));

TEST_P(MutexTest, ExcludesThreadsAndClients) {
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int j = 0; j < 100; ++j) {
          const std::scoped_lock guard(i % 2 == 0 ? mutex : theirs);
          ++count;
        }
      });
    }
  }
  EXPECT_EQ(count, 800);
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(MutexTest, MeetsTheStandardsInterfaces) {
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(theirs.try_lock());
  EXPECT_FALSE(theirs.try_lock_for(scaled(5ms)));
  EXPECT_FALSE(theirs.try_lock_until(std::chrono::steady_clock::now() + scaled(5ms)));
  mutex.unlock();
  EXPECT_TRUE(theirs.try_lock_for(std::chrono::hours::max()));
  theirs.unlock();
  Mutex other(client, "b");
  std::unique_lock first(mutex, std::defer_lock);
  std::unique_lock second(other, std::defer_lock);
  std::lock(first, second);
  EXPECT_EQ(test::places(world, "b"), 1u);
}

TEST_P(MutexTest, TellsThePresentToken) {
  EXPECT_FALSE(mutex.token());
  EXPECT_TRUE(mutex.lost().stop_requested());
  mutex.lock();
  const auto first = mutex.token();
  EXPECT_TRUE(first);
  EXPECT_FALSE(mutex.lost().stop_requested());
  mutex.unlock();
  mutex.lock();
  EXPECT_GT(mutex.token(), first);
  EXPECT_EQ(mutex.name(), "a");
}

TEST_P(MutexTest, AnyThreadMayUnlock) {
  mutex.lock();
  std::jthread([&] { mutex.unlock(); }).join();
  EXPECT_TRUE(theirs.try_lock());
}

TEST_P(MutexTest, AnUnlockTooManyDoesNothing) {
  mutex.unlock();
  EXPECT_TRUE(theirs.try_lock());
  mutex.unlock();
  EXPECT_EQ(test::places(world, "a"), 1u);
}

TEST_P(MutexTest, EveryCallReportsABadName) {
  Mutex bad(client, "");
  EXPECT_EQ(bad.acquire().error().code, Errc::bad_name);
  EXPECT_THROW(bad.lock(), Error);
  EXPECT_THROW((void)bad.try_lock(), Error);
  EXPECT_FALSE(bad.token());
  EXPECT_TRUE(bad.lost().stop_requested());
  bad.unlock();
}

TEST_P(MutexTest, FalseNeverHidesAFailure) {
  world->faults.unreachable = true;
  EXPECT_THROW((void)mutex.try_lock(), Error);
  EXPECT_THROW((void)mutex.try_lock_for(scaled(10ms)), Error);
}

TEST_P(MutexTest, AFixedLeaseEndsEvenIfItsThreadGoesOn) {
  Mutex fixed(client, "b", LeaseOptions::fixed(scaled(100ms)));
  fixed.lock();
  const auto lost = fixed.lost();
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  fixed.lock();
  fixed.unlock();
  EXPECT_EQ(test::places(world, "b"), 1u)
      << "the unlock of the first thread released it";
  fixed.unlock();
  EXPECT_EQ(test::places(world, "b"), 0u);
}

TEST_P(MutexTest, AnUncontendedPairAsksTheEngineTwice) {
  mutex.lock();
  mutex.unlock();
  EXPECT_EQ(world->calls.attempt, 1);
  EXPECT_EQ(world->calls.drop, 1);
  EXPECT_EQ(world->calls.renew, 0);
  EXPECT_EQ(world->calls.survey, 0);
}

}  // namespace
}  // namespace holdfast

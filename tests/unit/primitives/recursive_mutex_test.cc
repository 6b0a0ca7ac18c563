// SPDX-License-Identifier: Apache-2.0

#include "holdfast/recursive_mutex.h"

#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::scaled;
using test::Sort;

class RecursiveMutexTest : public testing::TestWithParam<Sort> {
 protected:
  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  Client client = test::join(world);
  RecursiveMutex outer{client, "a"};
  RecursiveMutex inner{client, "a"};
};

INSTANTIATE_TEST_SUITE_P(Sorts, RecursiveMutexTest,
                         testing::Values(Sort::leased_with_gate, Sort::leased,
                                         Sort::with_gate, Sort::plain));

TEST_P(RecursiveMutexTest, IsReenteredThroughAnyObject) {
  outer.lock();
  EXPECT_TRUE(inner.try_lock());
  EXPECT_TRUE(inner.acquire({.wait = Timeout::zero()}));
  EXPECT_EQ(outer.depth(), 3u);
  EXPECT_EQ(world->calls.attempt, 1);
  EXPECT_EQ(outer.token(), inner.token());
  inner.unlock();
  outer.unlock();
  EXPECT_EQ(test::places(world, "a"), 1u);
  EXPECT_TRUE(inner.release());
  EXPECT_EQ(outer.depth(), 0u);
  EXPECT_FALSE(outer.token());
  EXPECT_TRUE(outer.lost().stop_requested());
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(RecursiveMutexTest, AForeignUnlockIsRefused) {
  outer.lock();
  std::jthread([&] {
    EXPECT_EQ(inner.depth(), 0u);
    EXPECT_FALSE(inner.token());
    EXPECT_EQ(inner.release().error().code, Errc::not_owner);
    inner.unlock();
    EXPECT_FALSE(inner.try_lock());
  }).join();
  EXPECT_EQ(outer.depth(), 1u);
  EXPECT_EQ(test::places(world, "a"), 1u);
}

TEST_P(RecursiveMutexTest, IsTheSameLockAsAMutex) {
  Mutex plain(test::join(world), "a");
  outer.lock();
  EXPECT_FALSE(plain.try_lock());
  outer.unlock();
  EXPECT_TRUE(plain.try_lock());
}

TEST_P(RecursiveMutexTest, ExcludesThreads) {
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 50; ++j) {
          const std::scoped_lock first(outer);
          const std::scoped_lock second(inner);
          ++count;
        }
      });
    }
  }
  EXPECT_EQ(count, 200);
}

TEST_P(RecursiveMutexTest, StaysLockedWhenItsObjectIsGone) {
  std::optional<RecursiveMutex> brief(std::in_place, client, "b");
  brief->lock();
  brief.reset();
  EXPECT_EQ(test::places(world, "b"), 1u);
  RecursiveMutex again(client, "b");
  EXPECT_EQ(again.depth(), 1u);
  EXPECT_TRUE(again.release());
  EXPECT_EQ(test::places(world, "b"), 0u);
}

TEST_P(RecursiveMutexTest, ADeadThreadKeepsItUntilTheClientIsClosed) {
  std::jthread([&] { outer.lock(); }).join();
  std::jthread([&] { EXPECT_FALSE(inner.try_lock()); }).join();
  EXPECT_EQ(test::places(world, "a"), 1u);
  client.close();
  EXPECT_EQ(test::places(world, "a"), 0u);
}

// On an engine without leases the first hold is light and the second is a lease.
TEST_P(RecursiveMutexTest, AStaleUnlockDoesNotEndAHoldWithAnotherLease) {
  RecursiveMutex fixed(client, "a", LeaseOptions::fixed(scaled(60s)));
  for (RecursiveMutex* first : {&outer, &fixed}) {
    RecursiveMutex& second = first == &outer ? fixed : outer;
    first->lock();
    const auto lost = first->lost();
    test::evict(world, "a");
    ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
    std::jthread([&] {
      EXPECT_TRUE(second.acquire({.wait = test::patience()}));
    }).join();
    EXPECT_EQ(first->release().error().code, Errc::not_held);
    EXPECT_EQ(test::places(world, "a"), 1u) << "the hold of the other thread was ended";
    test::evict(world, "a");
  }
}

TEST_P(RecursiveMutexTest, ALostHoldIsNotReentered) {
  outer.lock();
  outer.lock();
  const auto lost = outer.lost();
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_EQ(inner.acquire().error().code, Errc::not_held);
  EXPECT_THROW(inner.lock(), Error);
  outer.unlock();
  EXPECT_EQ(inner.acquire().error().code, Errc::not_held);
  outer.unlock();
  EXPECT_TRUE(inner.acquire());
  EXPECT_EQ(inner.depth(), 1u);
}

TEST_P(RecursiveMutexTest, ALostHoldMayPassToAnotherThread) {
  RecursiveMutex fixed(client, "b", LeaseOptions::fixed(scaled(100ms)));
  fixed.lock();
  fixed.lock();
  const auto lost = fixed.lost();
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  RecursiveMutex renewed(client, "b");
  std::jthread([&] {
    renewed.lock();
    EXPECT_EQ(renewed.depth(), 1u);
  }).join();
  EXPECT_EQ(fixed.depth(), 2u);
  EXPECT_EQ(fixed.acquire().error().code, Errc::not_held);
  EXPECT_EQ(fixed.release().error().code, Errc::not_held);
  EXPECT_EQ(fixed.release().error().code, Errc::not_held);
  EXPECT_EQ(fixed.release().error().code, Errc::not_owner);
  EXPECT_EQ(test::places(world, "b"), 1u) << "the hold of the other thread was ended";
}

TEST_P(RecursiveMutexTest, EveryCallReportsABadName) {
  RecursiveMutex bad(client, "\n");
  EXPECT_EQ(bad.acquire().error().code, Errc::bad_name);
  EXPECT_THROW(bad.lock(), Error);
  EXPECT_EQ(bad.release().error().code, Errc::not_owner);
  EXPECT_EQ(bad.depth(), 0u);
  EXPECT_EQ(bad.name(), "\n");
}

}  // namespace
}  // namespace holdfast

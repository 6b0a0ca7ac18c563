// SPDX-License-Identifier: Apache-2.0

// A refusal names the lock, latch or semaphore that it is about.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <limits>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/latch.h"
#include "holdfast/locked.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/awaited.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast {
namespace {

void expect_named(const Failure& why, Errc code, const std::string& name) {
  EXPECT_EQ(why.code, code) << why.message();
  EXPECT_THAT(why.message(), testing::HasSubstr("\"" + name + "\""));
}

class RefusalsTest : public testing::Test {
 protected:
  static Client over(bool supported, bool orders) {
    engine::Traits traits = test::FakeEngine::default_traits();
    traits.supported = supported;
    traits.orders = orders;
    return test::join(test::FakeEngine::world(traits));
  }

  Client client = test::join(test::make_world(test::Sort::plain));
};

TEST_F(RefusalsTest, OfACounterNameIt) {
  Counter counter(client, "stock");
  constexpr auto kSmallest = std::numeric_limits<std::int64_t>::min();
  expect_named(counter.subtract(kSmallest).error(), Errc::bad_argument, "stock");
}

TEST_F(RefusalsTest, OfALatchNameIt) {
  Latch latch(client, "ready");
  expect_named(latch.set_count(0).error(), Errc::bad_argument, "ready");
  expect_named(latch.count_down(0).error(), Errc::bad_argument, "ready");
}

TEST_F(RefusalsTest, OfASemaphoreNameIt) {
  Semaphore semaphore(client, "uploads", 2);
  expect_named(semaphore.acquire_many(0).error(), Errc::bad_argument, "uploads");
  auto permit = semaphore.acquire().value();
  expect_named(permit.release(2).error(), Errc::bad_argument, "uploads");
}

TEST_F(RefusalsTest, OfADoubleBarrierNameIt) {
  DoubleBarrier without_parties(client, "none", 0);
  expect_named(without_parties.enter().error(), Errc::bad_argument, "none");
  DoubleBarrier alone(client, "round", 1);
  alone.enter().value();
  expect_named(alone.enter().error(), Errc::bad_argument, "round");
}

TEST_F(RefusalsTest, OfAnElectionNameIt) {
  Election election(client, "scheduler");
  election.campaign("a").value();
  expect_named(election.campaign("a").error(), Errc::bad_argument, "scheduler");
}

TEST_F(RefusalsTest, OfWhatIsNotHeldNameIt) {
  Election election(client, "scheduler");
  expect_named(election.resign().error(), Errc::not_held, "scheduler");
  expect_named(election.proclaim("a").error(), Errc::not_held, "scheduler");
  DoubleBarrier barrier(client, "round", 1);
  expect_named(barrier.leave().error(), Errc::not_held, "round");
  SharedMutex shared(client, "prices");
  auto writer = shared.acquire().value();
  writer.release().value();
  expect_named(writer.downgrade().error(), Errc::not_held, "prices");
}

// A hold that was lost says so when it is given back, whichever way.
class LossesTest : public testing::TestWithParam<test::Sort> {
 protected:
  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  Client client = test::join(world);
};

INSTANTIATE_TEST_SUITE_P(Sorts, LossesTest,
                         testing::Values(test::Sort::leased_with_gate,
                                         test::Sort::plain));

TEST_P(LossesTest, OfAHoldNameIt) {
  Mutex mutex(client, "stock");
  auto hold = mutex.acquire().value();
  test::evict(world, "stock");
  const auto released = hold.release();
  expect_named(released.error(), Errc::not_held, "stock");
  EXPECT_THAT(released.error().message(), testing::HasSubstr("unless it was fenced"));
  auto another = mutex.acquire().value();
  test::evict(world, "stock");
  expect_named(test::awaited<void>([&](auto done) {
                 another.release_async(std::move(done));
               }).error(),
               Errc::not_held, "stock");
}

TEST_P(LossesTest, OfARecursiveMutexNameIt) {
  RecursiveMutex mutex(client, "stock");
  mutex.lock();
  test::evict(world, "stock");
  expect_named(mutex.release().error(), Errc::not_held, "stock");
}

// A call that is not the first of its process waits at the gate, if there is one.
TEST_P(LossesTest, OfACancelledWaitNameIt) {
  Mutex taken(test::join(world), "stock");
  taken.lock();
  Mutex mutex(client, "stock");
  std::stop_source stop;
  const WaitOptions options{.stop = stop.get_token()};
  std::vector<std::future<Result<Hold>>> waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.push_back(
        std::async(std::launch::async, [&] { return mutex.acquire(options); }));
    waiting.push_back(std::async(std::launch::async, [&] {
      return test::awaited<Hold>(
          [&](auto done) { mutex.acquire_async(options, std::move(done)); });
    }));
  }
  ASSERT_TRUE(test::eventually([&] { return test::places(world, "stock") > 1; }));
  stop.request_stop();
  for (auto& each : waiting) {
    expect_named(each.get().error(), Errc::cancelled, "stock");
  }
  expect_named(mutex.acquire(options).error(), Errc::cancelled, "stock");
  expect_named(Latch(client, "ready").wait(options).error(), Errc::cancelled, "ready");
}

TEST_F(RefusalsTest, OfWhatAnotherThreadHoldsNameIt) {
  RecursiveMutex mutex(client, "stock");
  expect_named(mutex.release().error(), Errc::not_owner, "stock");
  expect_named(test::awaited<void>([&](auto done) {
                 mutex.release_async(RecursiveMutex::Owner(), std::move(done));
               }).error(),
               Errc::not_owner, "stock");
}

TEST_F(RefusalsTest, OfAnEmptyHoldSayThatItIsEmpty) {
  const auto expect_empty = [](const Result<void>& refused) {
    EXPECT_EQ(refused.error(), Errc::not_held);
    EXPECT_THAT(refused.error().message(), testing::HasSubstr("is empty"));
  };
  SharedHold shared;
  expect_empty(shared.downgrade());
  expect_empty(
      test::awaited<void>([&](auto done) { shared.downgrade_async(std::move(done)); }));
  Permits permits;
  expect_empty(permits.release(1));
}

TEST_F(RefusalsTest, OfAnUnknownTypeOfLockNameTheLock) {
  const LockedOptions options{.prefix = "nightly", .type = static_cast<LockType>(7)};
  expect_named(locked(client, options, [] {})().error(), Errc::bad_argument, "nightly");
}

TEST_F(RefusalsTest, OfAClosedClientNameItAndSayWhatToDo) {
  Mutex mutex(client, "stock");
  RecursiveMutex recursive(client, "prices");
  SharedMutex shared(client, "orders");
  Counter counter(client, "sold");
  Latch latch(client, "ready");
  client.close();
  const auto expect_closed = [](const Failure& why, const std::string& name) {
    expect_named(why, Errc::closed, name);
    EXPECT_THAT(why.message(), testing::HasSubstr("open another one"));
  };
  expect_closed(mutex.acquire().error(), "stock");
  expect_closed(test::awaited<Hold>([&](auto done) {
                  mutex.acquire_async(std::move(done));
                }).error(),
                "stock");
  expect_closed(recursive.acquire().error(), "prices");
  expect_closed(shared.acquire().error(), "orders");
  expect_closed(counter.add(1).error(), "sold");
  expect_closed(counter.get().error(), "sold");
  expect_closed(latch.wait().error(), "ready");
  expect_closed(Mutex(client, "new").acquire().error(), "new");
}

// The second one waits at the gate, the first one at the engine.
TEST_P(LossesTest, OfAClientThatIsClosedNameIt) {
  Mutex taken(test::join(world), "stock");
  taken.lock();
  Mutex mutex(client, "stock");
  std::vector<std::future<Result<Hold>>> waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.push_back(std::async(std::launch::async, [&] { return mutex.acquire(); }));
  }
  ASSERT_TRUE(test::eventually([&] { return test::places(world, "stock") > 1; }));
  client.close();
  for (auto& each : waiting) {
    expect_named(each.get().error(), Errc::closed, "stock");
  }
}

TEST_P(LossesTest, OfAClosedClientNameIt) {
  Mutex mutex(client, "stock");
  auto hold = mutex.acquire().value();
  client.close();
  expect_named(hold.release().error(), Errc::not_held, "stock");
}

TEST_F(RefusalsTest, OfAMultiLockNameTheLock) {
  MultiLock twice(client, std::vector<std::string>{"account", "account"});
  expect_named(twice.acquire().error(), Errc::bad_argument, "account");
}

TEST_F(RefusalsTest, OfAnUnsupportedKindNameIt) {
  Mutex mutex(over(false, true), "a");
  expect_named(mutex.acquire().error(), Errc::unsupported, "a");
  FairMutex fair(over(true, false), "b");
  expect_named(fair.acquire().error(), Errc::unsupported, "b");
}

}  // namespace
}  // namespace holdfast

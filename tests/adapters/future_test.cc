// SPDX-License-Identifier: Apache-2.0

#include "holdfast/future.h"

#include <chrono>
#include <functional>

#include "holdfast/counter.h"
#include "holdfast/latch.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

class FutureTest : public test::AdapterTest {};

TEST_F(FutureTest, GivesTheHold) {
  auto hold = to_future(acquired(mutex)).get();
  ASSERT_TRUE(hold);
  EXPECT_TRUE(hold->valid());
  EXPECT_TRUE(to_future(released(std::move(*hold))).get());
  EXPECT_TRUE(is_free());
}

TEST_F(FutureTest, WaitsForAnotherClient) {
  auto held = theirs.acquire();
  ASSERT_TRUE(held);
  auto coming = to_future(acquired(mutex));
  EXPECT_EQ(coming.wait_for(20ms), std::future_status::timeout);
  EXPECT_TRUE(held->release());
  EXPECT_TRUE(coming.get());
}

TEST_F(FutureTest, TellsWhyNot) {
  auto held = theirs.acquire();
  EXPECT_EQ(to_future(acquired(mutex, {.wait = 1ms})).get().error(), Errc::timed_out);
  std::stop_source stop;
  auto coming = to_future(acquired(mutex, {.stop = stop.get_token()}));
  stop.request_stop();
  EXPECT_EQ(coming.get().error(), Errc::cancelled);
}

TEST_F(FutureTest, AHoldThatNothingWaitsForIsReleased) {
  auto held = theirs.acquire();
  { auto unwanted = to_future(acquired(mutex)); }
  EXPECT_TRUE(held->release());
  EXPECT_TRUE(is_free());
}

TEST_F(FutureTest, RunsEveryKindOfOperation) {
  SharedMutex shared(client, "shared");
  auto reader = to_future(acquired_shared(shared)).get();
  EXPECT_TRUE(reader);
  Semaphore semaphore(client, "permits", 3);
  EXPECT_TRUE(to_future(acquired_many(semaphore, 2)).get());
  RecursiveMutex recursive(client, "recursive");
  const RecursiveMutex::Owner owner;
  EXPECT_TRUE(to_future(acquired(recursive, owner)).get());
  EXPECT_TRUE(to_future(acquired(recursive, owner)).get());
  EXPECT_EQ(recursive.depth(owner), 2u);
  Latch latch(client, "latch");
  EXPECT_TRUE(to_future(waited(latch)).get());
  DoubleBarrier barrier(client, "parties", 1);
  EXPECT_TRUE(to_future(entered(barrier)).get());
  EXPECT_TRUE(to_future(left(barrier)).get());
  Election election(client, "leader");
  EXPECT_TRUE(to_future(elected(election, "me")).get());
  Counter counter(client, "count");
  const auto added = to_future(operation<Change>([&](const WaitOptions&, auto done) {
                       counter.add_async(2, std::move(done));
                     })).get();
  EXPECT_TRUE(added);
}

TEST_F(FutureTest, APromiseBreaksWhenTheExecutorForgets) {
  Client forgetful = open({.executor = [](const std::function<void()>&) {}});
  Mutex lock(forgetful, "a");
  EXPECT_THROW((void)to_future(acquired(lock)).get(), std::future_error);
  EXPECT_TRUE(is_free());
}

}  // namespace
}  // namespace holdfast

// SPDX-License-Identifier: Apache-2.0

// FairMutex: a waiter that lives and attempts keeps its position in the queue.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/fair_mutex.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

const engine::Address kFairLock{engine::Kind::fair_mutex, "a"};

class RedisFairOrder : public OnRedis {
 protected:
  long queued() const {
    return std::stol(server_.command({"LLEN", "redisson_lock_queue:{a}"}));
  }
};

// Redisson removes a waiter that waits longer than fair_wait and the lease. Waiters of
// ours stay, because their attempts prove that they live.
TEST_F(RedisFairOrder, StaysHoweverLongTheWait) {
  const Client client = open_quietly(server_.url("?fair_wait=50ms"));
  ClaimLock holder(client, kFairLock, {.lease = scaled(500ms)});
  ASSERT_TRUE(holder.begin());
  ClaimLock first(client, kFairLock);
  ClaimLock second(client, kFairLock);
  ClaimLock third(client, kFairLock);
  for (ClaimLock* each : {&first, &second, &third}) ASSERT_FALSE(each->begin());
  ASSERT_TRUE(throughout(scaled(1s), [&] { return holder.again(); })) << "busy machine";
  EXPECT_FALSE(third.again());
  EXPECT_EQ(queued(), 3);
  ASSERT_TRUE(holder.release());
  EXPECT_FALSE(second.again());
  EXPECT_TRUE(first.again());
}

// Peers go by the time that the queue has for the head.
TEST_F(RedisFairOrder, IsKnownToPeersAsWell) {
  const Client client = open_quietly(server_.url("?fair_wait=50ms"));
  ClaimLock holder(client, kFairLock, {.lease = scaled(500ms)});
  ASSERT_TRUE(holder.begin());
  ClaimLock waiter(client, kFairLock);
  ASSERT_FALSE(waiter.begin());
  const auto time_is_over = [&] {
    using std::chrono::system_clock;
    const auto now = system_clock::now().time_since_epoch();
    const auto times =
        RedisSocket(server_.port())
            .call({"ZRANGE", "redisson_lock_timeout:{a}", "0", "0", "WITHSCORES"});
    return std::stoll(times.items.at(1).text) < now / 1ms;
  };
  ASSERT_TRUE(eventually([&] { return holder.again() && time_is_over(); }));
  EXPECT_FALSE(waiter.again());
  EXPECT_FALSE(time_is_over());
}

// The subscriber connection of the first waiter is just broken when it is to be woken.
TEST_F(RedisFairOrder, OutlivesABreakOfTheSubscription) {
  ClaimLock holder(open_directly(), kFairLock);
  ASSERT_TRUE(holder.begin());
  ClaimLock first(open(), kFairLock);
  ClaimLock second(open_directly(), kFairLock);
  ASSERT_FALSE(first.begin());
  ASSERT_FALSE(second.begin());
  line_.unreachable(true);
  ASSERT_TRUE(eventually([&] {
    const auto subscribers =
        RedisSocket(server_.port()).call({"PUBSUB", "CHANNELS", "holdfast_bell:*"});
    return subscribers.items.size() == 1;
  }));
  ASSERT_TRUE(holder.release());
  EXPECT_FALSE(second.again()) << "the first may be back at once";
  EXPECT_EQ(queued(), 2);
  line_.unreachable(false);
  EXPECT_TRUE(persist([&](engine::Deadline end) {
    return first.resource().attempt(first.claim(), nullptr, end);
  }));
  EXPECT_TRUE(first.again());
}

TEST_F(RedisFairOrder, OneThatWasKilledIsSoonPassedOver) {
  FairMutex mutex(open_directly(), "a");
  auto hold = mutex.acquire().value();
  Victim first(server_.url());
  ASSERT_EQ(first.ask("use fair_mutex a"), "ok");
  first.tell("do take");
  ASSERT_TRUE(eventually([&] { return queued() == 1; }));
  FairMutex next(open_directly(), "a");
  std::jthread waiter([&] { EXPECT_TRUE(next.acquire({.wait = patience()})); });
  ASSERT_TRUE(eventually([&] { return queued() == 2; }));
  first.kill();
  const auto released = Clock::now();
  EXPECT_TRUE(hold.release());
  waiter.join();
  EXPECT_LT(Clock::now() - released, 10s) << "an entry lives for 15 s";
}

}  // namespace
}  // namespace holdfast::test

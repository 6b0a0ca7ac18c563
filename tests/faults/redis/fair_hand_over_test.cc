// SPDX-License-Identifier: Apache-2.0

// What a FairMutex has of its own when a release hands it over; hand_over_test.cc has
// what it shares with a Mutex.

#include <gtest/gtest.h>

#include <future>

#include "faults/redis/hand_over.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RedisFairHandOver : public HandOverOnRedis {
 protected:
  static constexpr auto kFair = engine::Kind::fair_mutex;

  // Waits in a thread of its own; returns when it got the lock.
  template <class AMutex>
  std::future<Clock::time_point> enter(AMutex& mutex) {
    return std::async(std::launch::async, [&mutex] {
      const auto hold = mutex.acquire({.wait = patience()});
      EXPECT_TRUE(hold) << hold.error().message();
      return Clock::now();
    });
  }

  // Each of the two kinds holds the lock while the other waits for it.
  template <class Holder, class Waiter>
  void expect_wake_up_of(engine::Kind waiters_kind) {
    Holder holder(open_directly(), "a");
    holder.lock();
    Waiter waiter(open_directly(), "a");
    auto entered = enter(waiter);
    ASSERT_TRUE(has_claims(server_, {waiters_kind, "a"}, 2));
    const auto released = Clock::now();
    holder.unlock();
    EXPECT_LT(entered.get() - released, scaled(1s)) << "it looks again after 4 s";
  }

  const engine::Address lock_{kFair, "a"};
};

// No client is told of a lease that ends. The attempt of any waiter then hands the lock
// over to the first one.
TEST_F(RedisFairHandOver, IsMadeUpForByAnAttempt) {
  const Client client = open();
  ClaimLock first(client, lock_);
  ClaimLock second(client, lock_);
  ClaimLock third(client, lock_);
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_FALSE(third.begin());
  ASSERT_EQ(server_.command({"DEL", "a"}), "1") << "as when a lease ends";
  EXPECT_FALSE(third.again());
  EXPECT_TRUE(holds(second));
  EXPECT_TRUE(granted(second));
}

TEST_F(RedisFairHandOver, ALostMessageIsMadeUpForByAnAttempt) {
  FairMutex holder(open_directly(), "a");
  holder.lock();
  FairMutex waiter(open(), "a");
  auto entered = enter(waiter);
  ASSERT_TRUE(has_claims(server_, lock_, 2));
  line_.freeze_present();  // the server takes the client for subscribed
  holder.unlock();
  EXPECT_EQ(server_.command({"HLEN", "a"}), "1") << "it was handed over";
  line_.cut_all();
  entered.get();
}

// A waiter that is stopped, or dies before it hears of its grant, costs the others a
// short time and not a lease: 3 s, and 4 s until the next waiter looks at the latest.
TEST_F(RedisFairHandOver, AStoppedWaiterCostsAShortTime) {
  FairMutex holder(open_directly(), "a");
  holder.lock();
  Victim victim(server_.url(), 600s);
  ASSERT_EQ(victim.ask("use fair_mutex a"), "ok");
  victim.tell("do take");
  ASSERT_TRUE(has_claims(server_, lock_, 2));
  victim.stop();
  FairMutex other(open_directly(), "a");
  auto entered = enter(other);
  ASSERT_TRUE(has_claims(server_, lock_, 3));
  const auto released = Clock::now();
  holder.unlock();
  EXPECT_LT(entered.get() - released, 8s + scaled(1s));
  victim.go_on();
  EXPECT_EQ(victim.answer(), "ok") << "it waited on, and is granted the lock anew";
}

TEST_F(RedisFairHandOver, IsPublishedToTheSessionAlone) {
  ClaimLock holder(open_directly(), lock_);
  ASSERT_TRUE(holder.begin());
  ClaimLock waiter(open(), lock_);
  ASSERT_FALSE(waiter.begin());
  const auto channels =
      RedisSocket(server_.port()).call({"PUBSUB", "CHANNELS", "*{a}*"});
  EXPECT_EQ(channels.items.size(), 0u) << "for the messages of peers";
}

TEST_F(RedisFairHandOver, AMutexOfTheSameNameWakesItsWaiters) {
  expect_wake_up_of<Mutex, FairMutex>(kFair);
}

TEST_F(RedisFairHandOver, ItsReleaseWakesTheWaitersOfAMutex) {
  expect_wake_up_of<FairMutex, Mutex>(engine::Kind::mutex);
}

}  // namespace
}  // namespace holdfast::test

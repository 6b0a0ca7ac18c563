// SPDX-License-Identifier: Apache-2.0

// A release of a FairMutex grants the lock to the first waiter in the same step.

#include <gtest/gtest.h>

#include <future>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RedisFairHandOver : public OnRedis {
 protected:
  static constexpr auto kFair = engine::Kind::fair_mutex;

  bool holds(const ClaimLock& lock) const {
    const auto ticket = static_cast<std::uint64_t>(lock.claim().ticket);
    return server_.command({"HKEYS", "a"}).ends_with(":h" + std::to_string(ticket));
  }
  long queued() const {
    return std::stol(server_.command({"LLEN", "redisson_lock_queue:{a}"}));
  }
  static bool granted(ClaimLock& lock) {
    return eventually([&] { return lock.again(); });
  }

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

TEST_F(RedisFairHandOver, GoesToTheFirstWaiter) {
  const Client client = open();
  ClaimLock first(client, lock_);
  ClaimLock second(client, lock_);
  ClaimLock third(client, lock_);
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_FALSE(third.begin());
  ASSERT_TRUE(first.release());
  EXPECT_TRUE(holds(second)) << "before it has asked";
  EXPECT_EQ(queued(), 1);
  EXPECT_FALSE(third.again());
  EXPECT_TRUE(granted(second));
  ASSERT_TRUE(second.release());
  EXPECT_TRUE(holds(third));
  EXPECT_TRUE(granted(third));
  ASSERT_TRUE(third.release());
  EXPECT_EQ(left_behind(server_), "");
}

TEST_F(RedisFairHandOver, ARepeatedDropLeavesTheHeirAlone) {
  ClaimLock holder(open(), lock_);
  ClaimLock waiter(open_directly(), lock_);
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  line_.lose_replies(1);
  EXPECT_FALSE(holder.resource().drop(holder.claim(), soon()));
  EXPECT_TRUE(holds(waiter));
  const auto again = persist([&](engine::Deadline end) {
    return holder.resource().drop(holder.claim(), end);
  });
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::not_held);
  EXPECT_TRUE(holds(waiter));
  EXPECT_TRUE(granted(waiter));
}

TEST_F(RedisFairHandOver, AWaiterThatGivesUpHandsItOn) {
  const Client client = open();
  ClaimLock holder(client, lock_);
  ClaimLock waiter(client, lock_);
  ClaimLock behind(client, lock_);
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  ASSERT_FALSE(behind.begin());
  ASSERT_TRUE(holder.release());
  EXPECT_TRUE(waiter.release()) << "it has not looked";
  EXPECT_TRUE(holds(behind));
  EXPECT_TRUE(granted(behind));
  ASSERT_TRUE(behind.release());
  EXPECT_EQ(left_behind(server_), "");
}

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

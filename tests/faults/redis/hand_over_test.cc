// SPDX-License-Identifier: Apache-2.0

// A release grants the lock to the next waiter and tells the waiter's client.

#include "faults/redis/hand_over.h"

#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <variant>

#include "holdfast/mutex.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Granted;
using engine::Kind;

const engine::Address kLock{Kind::mutex, "a"};

// How long a grant lasts of which its client has not heard, whatever the scale of the
// test, and how long after it another waiter asks at the latest.
constexpr auto kProvisional = 3s;
constexpr auto kLatestLook = 1s;

class RedisHandOver : public HandOverOnRedis {
 protected:
  std::string listeners() const {
    const auto answer = RedisSocket(server_.port())
                            .call({"PUBSUB", "NUMSUB", "redisson_lock__channel:{a}"});
    return std::to_string(answer.items.at(1).number());
  }
  int requests() const {
    const auto passed = line_.passed();
    return std::accumulate(passed.begin(), passed.end(), 0,
                           [](int sum, const auto& each) { return sum + each.second; });
  }
};

// The cases that a Mutex and a FairMutex have in common; a parameter is a kind.
class RedisHandOverOf : public HandOverOnRedis,
                        public testing::WithParamInterface<Kind> {
 protected:
  long queued() const {
    return std::stol(GetParam() == Kind::fair_mutex
                         ? server_.command({"LLEN", "redisson_lock_queue:{a}"})
                         : server_.command({"ZCARD", "holdfast_queue:{a}"}));
  }

  const engine::Address lock_{GetParam(), "a"};
};
INSTANTIATE_TEST_SUITE_P(, RedisHandOverOf,
                         testing::Values(Kind::mutex, Kind::fair_mutex),
                         [](const auto& test) {
                           return test.param == Kind::mutex ? "mutex" : "fair_mutex";
                         });

TEST_P(RedisHandOverOf, GoesToTheFirstWaiter) {
  const Client client = open();
  ClaimLock first(client, lock_);
  ClaimLock second(client, lock_);
  ClaimLock third(client, lock_);
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_FALSE(third.begin());
  const long before = token();
  ASSERT_TRUE(first.release());
  EXPECT_TRUE(holds(second)) << "before it has asked";
  EXPECT_GT(token(), before);
  EXPECT_LE(left(), 3000);
  EXPECT_EQ(queued(), 1);
  EXPECT_FALSE(third.again());
  EXPECT_TRUE(granted(second));
  ASSERT_TRUE(second.release());
  EXPECT_TRUE(holds(third));
  EXPECT_TRUE(granted(third));
  ASSERT_TRUE(third.release());
  EXPECT_EQ(left_behind(server_), "");
}

TEST_F(RedisHandOver, NeedsNoRequestOfTheWaiter) {
  const Client client = open();
  ClaimLock holder(client, kLock);
  ASSERT_TRUE(holder.begin());
  const engine::Claim waiter{.ticket = next_ticket(), .tokens = 5};
  const engine::Waker signal = client.session().signal();
  const auto attempt = [&] {
    return holder.resource().attempt(waiter, signal, soon()).value();
  };
  ASSERT_FALSE(std::holds_alternative<Granted>(attempt()));
  ASSERT_TRUE(holder.release());
  signal->wait(soon());
  const int before = requests();
  const auto asked = Clock::now();
  const auto verdict = attempt();
  ASSERT_TRUE(std::holds_alternative<Granted>(verdict));
  EXPECT_EQ(requests(), before);
  const auto& granted = std::get<Granted>(verdict);
  EXPECT_EQ(granted.token.value + 4, static_cast<std::uint64_t>(token()));
  EXPECT_EQ(granted.tokens, 5u);
  const auto left_then = std::chrono::milliseconds(left() + 1) + (Clock::now() - asked);
  EXPECT_LE(granted.lease, left_then);
  EXPECT_TRUE(holder.resource().drop(waiter, soon()));
}

// The waiters of other clients are not told.
TEST_F(RedisHandOver, IsPublishedToOneClient) {
  const Client other = open_directly();
  ClaimLock holder(other, kLock);
  ASSERT_TRUE(holder.begin());
  ClaimLock waiter(open(), kLock);
  ClaimLock behind(open(), kLock);
  ASSERT_FALSE(waiter.begin());
  ASSERT_FALSE(behind.begin());
  EXPECT_EQ(listeners(), "0") << "for the messages of peers";
}

TEST_F(RedisHandOver, TokensGrow) {
  const Client client = open();
  FencingToken last;
  for (int i = 0; i < 20; ++i) {
    ClaimLock holder(client, kLock, {.tokens = 7});
    ClaimLock waiter(client, kLock, {.tokens = 3});
    ASSERT_TRUE(holder.begin());
    ASSERT_FALSE(waiter.begin());
    ASSERT_TRUE(holder.release());
    const auto verdict =
        waiter.resource().attempt(waiter.claim(), client.session().signal(), soon());
    ASSERT_TRUE(verdict) << verdict.error().message();
    const auto granted = std::get<Granted>(*verdict);
    EXPECT_GT(granted.token, last);
    EXPECT_EQ(granted.tokens, 3u);
    last = {granted.token.value + 2};
  }
}

TEST_F(RedisHandOver, IsShownAsAnyGrant) {
  const Client client = open();
  ClaimLock holder(client, kLock);
  ClaimLock waiter(client, kLock, {.payload = "next"});
  ClaimLock behind(client, kLock, {.payload = "behind"});
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  ASSERT_FALSE(behind.begin());
  const auto waiting = waiter.resource().survey(9, soon()).value();
  ASSERT_EQ(waiting.size(), 3u);
  EXPECT_EQ(waiting[1].payload, "next");
  EXPECT_EQ(waiting[1].token.value, 0u);
  ASSERT_TRUE(holder.release());
  const auto entries = waiter.resource().survey(9, soon()).value();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_TRUE(entries[0].granted);
  EXPECT_EQ(entries[0].payload, "next");
  EXPECT_GT(entries[0].token.value, 0u);
  EXPECT_EQ(entries[1].payload, "behind");
  EXPECT_LE(*entries[1].since, *entries[0].since) << "it came before that grant";
}

TEST_P(RedisHandOverOf, ARepeatedDropLeavesTheHeirAlone) {
  const Client client = open();
  ClaimLock holder(client, lock_);
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

TEST_P(RedisHandOverOf, AWaiterThatGivesUpHandsItOn) {
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

TEST_F(RedisHandOver, AnEvictedHeirDoesNotGetIn) {
  const Client client = open();
  ClaimLock holder(client, kLock);
  ClaimLock waiter(client, kLock);
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  ASSERT_TRUE(holder.release());
  ASSERT_TRUE(waiter.resource().evict(this->holder(), soon()));
  // The messages of a channel arrive in order, so the last one decides.
  EXPECT_TRUE(eventually([&] {
    const auto verdict =
        waiter.resource().attempt(waiter.claim(), client.session().signal(), soon());
    return !verdict && verdict.error().code == Errc::not_held;
  }));
}

// The message is lost with the subscriber's connection.
TEST_F(RedisHandOver, ALostMessageIsMadeUpForByAnAttempt) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_claims(server_, kLock, 2));
  line_.freeze_present();  // the server takes the client for subscribed
  holder.unlock();
  EXPECT_EQ(server_.command({"HLEN", "a"}), "1") << "it was handed over";
  line_.cut_all();
  EXPECT_EQ(entered.get().why_not, "") << "it asked after the gap";
}

// A lease that is not renewed is given in full.
TEST_F(RedisHandOver, AFixedLeaseIsWhole) {
  const Client client = open();
  ClaimLock holder(client, kLock);
  ClaimLock waiter(client, kLock, {.lease = 60s});
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  ASSERT_TRUE(holder.release());
  EXPECT_LE(left(), 3000);
  EXPECT_TRUE(granted(waiter));
  EXPECT_GT(left(), 30'000);
}

TEST_F(RedisHandOver, ARenewedLeaseIsSoonWhole) {
  const Client client = open_quietly(server_.url(), 60s);
  Mutex holder(client, "a");
  holder.lock();
  Mutex waiter(open_quietly(server_.url(), 60s), "a");
  auto entered = std::async(std::launch::async, [&] { return waiter.acquire(); });
  ASSERT_TRUE(has_claims(server_, kLock, 2));
  holder.unlock();
  const auto hold = entered.get();
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_TRUE(eventually([&] { return left() > 30'000; }));
  EXPECT_TRUE(hold->valid());
}

TEST_F(RedisHandOver, AKilledWaiterIsPassedOver) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  {
    Victim victim(server_.url());
    victim.tell("lock a");
    ASSERT_TRUE(has_claims(server_, kLock, 2));
    victim.kill();
  }
  const Client client = open_directly();
  ClaimLock waiter(client, kLock);
  ASSERT_FALSE(waiter.begin());
  holder.unlock();
  EXPECT_TRUE(holds(waiter));
}

// A waiter that is stopped, or dies before it hears of its grant, costs the others a
// short time and not a lease.
TEST_F(RedisHandOver, AStoppedWaiterCostsAShortTime) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Victim victim(server_.url(), 600s);
  victim.tell("lock a");
  ASSERT_TRUE(has_claims(server_, kLock, 2));
  victim.stop();
  Mutex other(open_directly(), "a");
  auto entered = wait_for(other);
  ASSERT_TRUE(has_claims(server_, kLock, 3));
  const auto released = Clock::now();
  holder.unlock();
  const auto waited = entered.get().at - released;
  EXPECT_GT(waited, kProvisional / 2) << "it was handed to the one that is stopped";
  EXPECT_LT(waited, kProvisional + kLatestLook + scaled(1s));
  victim.go_on();
  EXPECT_EQ(victim.answer(), "ok") << "it waited on, and is granted the lock anew";
}

TEST_F(RedisHandOver, OfAnElectionIsTold) {
  const Client client = open();
  const engine::Address at{Kind::election, "a"};
  ClaimLock leader(client, at, {.payload = "first"});
  ClaimLock candidate(client, at, {.payload = "second"});
  ASSERT_TRUE(leader.begin());
  ASSERT_FALSE(candidate.begin());
  ASSERT_TRUE(leader.release());
  const auto entries = candidate.resource().survey(9, soon()).value();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_TRUE(entries[0].granted);
  EXPECT_EQ(entries[0].payload, "second");
  EXPECT_TRUE(granted(candidate));
}

}  // namespace
}  // namespace holdfast::test

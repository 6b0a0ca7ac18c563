// SPDX-License-Identifier: Apache-2.0

#include "core/gate.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "support/eventually.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;

class GateTest : public testing::Test {
 protected:
  // As long as the thread with the turn has no answer, it waits for one until
  // `patience`.
  struct Turn {
    std::uint64_t number;
    std::optional<LeaseStart> handed;
  };
  Result<Turn> enter(Timeout wait, const std::stop_token* stop = nullptr,
                     Timeout patience = test::scaled(10s),
                     const LeaseOptions& lease = {}) {
    constexpr bool kSpeaks = false;
    const auto turn = wait.is_zero() ? engine::Deadline::min() : wait.deadline();
    Gate::Waiter self(lease, kSpeaks);
    auto entered = gate.enter(self, {turn, std::max(turn, patience.deadline())}, stop);
    if (!entered) return std::move(entered).error();
    const auto& handed = self.turn().handed;
    return Turn{self.turn().number, handed ? std::optional(*handed) : std::nullopt};
  }
  std::uint64_t enter_and_learn(Gate::Answer answer) {
    const auto turn = enter(Timeout::zero()).value().number;
    gate.report_answer(turn, answer);
    return turn;
  }
  std::future<Result<Turn>> enter_later() {
    return std::async(std::launch::async, [this] { return enter(Timeout::forever()); });
  }
  static LeaseStart grant(std::uint64_t turn, std::uint32_t spare = 3) {
    LeaseStart grant;
    grant.token = {100};
    grant.spare_tokens = spare;
    grant.since = Clock::now();
    grant.turn = turn;
    return grant;
  }
  bool hand_over(const LeaseStart& grant, const LeaseOptions& lease = {}) {
    return gate.hand_over(grant, lease, Clock::now() + 10s);
  }
  Gate gate;
};

TEST_F(GateTest, LetsOneInAtATime) {
  const auto first = enter_and_learn(Gate::Answer::granted);
  EXPECT_EQ(enter(Timeout::zero()).error().code, Errc::timed_out);
  gate.leave(first);
  EXPECT_TRUE(enter(Timeout::zero()));
}

TEST_F(GateTest, ATryWaitsForTheFirstAnswerToTheThreadWithTheTurn) {
  for (const auto& [answer, code] :
       {std::pair{Gate::Answer::granted, Errc::timed_out},
        std::pair{Gate::Answer::blocked, Errc::timed_out},
        std::pair{Gate::Answer::failed, Errc::unavailable}}) {
    const auto first = enter(Timeout::zero());
    ASSERT_TRUE(first);
    auto tried = std::async(std::launch::async, [&] { return enter(Timeout::zero()); });
    ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
    gate.report_answer(first->number, answer);
    EXPECT_EQ(tried.get().error().code, code);
    gate.leave(first->number);
  }
}

TEST_F(GateTest, ATryGetsTheTurnIfItPassesOnBeforeAnAnswer) {
  const auto first = enter(Timeout::zero());
  auto tried = std::async(std::launch::async, [&] { return enter(Timeout::zero()); });
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  gate.leave(first->number);
  EXPECT_TRUE(tried.get());
}

TEST_F(GateTest, WithoutAnAnswerItIsNotKnownToBeHeld) {
  ASSERT_TRUE(enter(Timeout::zero()));
  const auto soon = test::scaled(20ms);
  EXPECT_EQ(enter(Timeout::zero(), nullptr, soon).error().code, Errc::unavailable);
  EXPECT_EQ(enter(soon, nullptr, soon).error().code, Errc::unavailable);
}

// The turn may pass on just when the time of a waiter is over.
TEST_F(GateTest, AnAnswerMayComeALittleLate) {
  const auto first = enter(Timeout::zero());
  ASSERT_TRUE(first);
  const auto soon = 5ms;
  auto tried =
      std::async(std::launch::async, [&] { return enter(soon, nullptr, soon); });
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  std::this_thread::sleep_for(2 * soon);  // its time is over
  gate.report_answer(first->number, Gate::Answer::granted);
  EXPECT_EQ(tried.get().error().code, Errc::timed_out);
}

TEST_F(GateTest, AnAnswerToAnOldTurnIsIgnored) {
  const auto first = enter_and_learn(Gate::Answer::blocked);
  gate.leave(first);
  ASSERT_TRUE(enter(Timeout::zero()));
  gate.report_answer(first, Gate::Answer::granted);
  EXPECT_EQ(enter(Timeout::zero(), nullptr, test::scaled(20ms)).error().code,
            Errc::unavailable);
}

TEST_F(GateTest, AnOldTurnIsNotLeftTwice) {
  const auto first = enter(Timeout::zero());
  gate.leave(first->number);
  (void)enter_and_learn(Gate::Answer::granted);
  gate.leave(first->number);
  EXPECT_FALSE(enter(Timeout::zero())) << "the second thread still has the turn";
}

TEST_F(GateTest, AWaiterTimesOut) {
  (void)enter_and_learn(Gate::Answer::granted);
  EXPECT_EQ(enter(test::scaled(20ms)).error().code, Errc::timed_out);
}

TEST_F(GateTest, AWaiterIsCancelled) {
  ASSERT_TRUE(enter(Timeout::zero()));
  std::stop_source source;
  const auto token = source.get_token();
  auto waiter =
      std::async(std::launch::async, [&] { return enter(Timeout::forever(), &token); });
  source.request_stop();
  EXPECT_EQ(waiter.get().error().code, Errc::cancelled);
}

TEST_F(GateTest, AWaiterThatGaveUpIsNotWaitedFor) {
  const auto first = enter_and_learn(Gate::Answer::granted);
  EXPECT_FALSE(enter(test::scaled(5ms)));
  gate.leave(first);
  EXPECT_TRUE(enter(Timeout::zero()));
}

// The queue points to the waiter on the stack of its thread.
TEST_F(GateTest, AThreadInTheQueueIsNotCancelled) {
  const auto first = enter(Timeout::zero());
  std::atomic<bool> entered{false};
  std::thread waiter([&] { entered = enter(Timeout::forever()).has_value(); });
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  pthread_cancel(waiter.native_handle());
  gate.leave(first->number);
  waiter.join();
  EXPECT_TRUE(entered);
}

TEST_F(GateTest, ClosingWakesEveryWaiter) {
  ASSERT_TRUE(enter(Timeout::zero()));
  auto waiter = enter_later();
  gate.close();
  EXPECT_EQ(waiter.get().error().code, Errc::closed);
  EXPECT_EQ(enter(Timeout::zero()).error().code, Errc::closed);
}

TEST_F(GateTest, HandsAGrantOverWithTheNextToken) {
  const auto first = enter(Timeout::zero());
  auto waiter = enter_later();
  ASSERT_TRUE(eventually([&] { return hand_over(grant(first->number)); }));
  const auto second = waiter.get();
  ASSERT_TRUE(second);
  ASSERT_TRUE(second->handed);
  EXPECT_EQ(second->handed->token.value, 101u);
  EXPECT_EQ(second->handed->spare_tokens, 2u);
  EXPECT_EQ(second->handed->turn, second->number);
}

TEST_F(GateTest, HandsAGrantOfOneTokenOverWithTheSame) {
  const auto first = enter(Timeout::zero());
  auto waiter = enter_later();
  auto shared = grant(first->number);
  shared.one_token = true;
  ASSERT_TRUE(eventually([&] { return hand_over(shared); }));
  const auto second = waiter.get();
  ASSERT_TRUE(second);
  ASSERT_TRUE(second->handed);
  EXPECT_EQ(second->handed->token.value, 100u);
  EXPECT_EQ(second->handed->spare_tokens, 2u);
}

TEST_F(GateTest, DoesNotHandOverWithoutAWaiter) {
  const auto first = enter(Timeout::zero());
  EXPECT_FALSE(hand_over(grant(first->number)));
}

TEST_F(GateTest, DoesNotHandOverBeyondTheBudget) {
  const auto first = enter(Timeout::zero());
  auto waiter = enter_later();
  auto one_more = grant(first->number);
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  EXPECT_FALSE(hand_over(grant(first->number, 0))) << "no token is left";
  EXPECT_FALSE(hand_over(one_more, LeaseOptions::fixed(1s))) << "the lease is fixed";
  EXPECT_FALSE(hand_over(one_more, {.cap = 1h})) << "the lease is capped";
  EXPECT_FALSE(hand_over(one_more, {.ttl = 5s}))
      << "the waiter asked for another lease";
  EXPECT_FALSE(gate.hand_over(one_more, {}, Clock::now()))
      << "the time for handing over has passed";
  gate.leave(first->number);
  const auto second = waiter.get();
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->handed);
}

TEST_F(GateTest, ServesInOrderOfArrival) {
  const auto first = enter(Timeout::zero());
  std::vector<int> order;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 5; ++i) {
    std::atomic<bool> started{false};
    threads.emplace_back([&, i] {
      started = true;
      const auto turn = enter(Timeout::forever());
      const std::lock_guard lock(mutex);
      order.push_back(i);
      gate.leave(turn->number);
    });
    ASSERT_TRUE(eventually(
        [&] { return started && gate.waiting() == static_cast<std::size_t>(i) + 1; }));
  }
  gate.leave(first->number);
  threads.clear();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace holdfast::core

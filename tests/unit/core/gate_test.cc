#include "core/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "support/eventually.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;

class GateTest : public testing::Test {
 protected:
  Result<Gate::Turn> enter(Timeout wait, const std::stop_token* stop = nullptr,
                           const LeaseOptions& lease = {}) {
    return gate.enter(lease, wait,
                      wait.is_zero() ? Clock::time_point{} : wait.deadline(), stop);
  }
  std::future<Result<Gate::Turn>> enter_later(const LeaseOptions& lease = {}) {
    return std::async(std::launch::async, [this, lease] {
      return gate.enter(lease, Timeout::forever(), Clock::time_point::max(), nullptr);
    });
  }
  static Grant grant(std::uint64_t turn, std::uint32_t spare = 3) {
    Grant grant;
    grant.token = {100};
    grant.spare_tokens = spare;
    grant.since = Clock::now();
    grant.turn = turn;
    return grant;
  }
  bool hand_over(const Grant& grant, const LeaseOptions& lease = {}) {
    return gate.hand_over(grant, lease, Clock::now() + 10s);
  }
  Gate gate;
};

TEST_F(GateTest, LetsOneInAtATime) {
  const auto first = enter(Timeout::zero());
  ASSERT_TRUE(first);
  EXPECT_EQ(enter(Timeout::zero()).error().code, Errc::timed_out);
  gate.leave(first->number);
  EXPECT_TRUE(enter(Timeout::zero()));
}

TEST_F(GateTest, AnOldTurnIsNotLeftTwice) {
  const auto first = enter(Timeout::zero());
  gate.leave(first->number);
  const auto second = enter(Timeout::zero());
  ASSERT_TRUE(second);
  gate.leave(first->number);
  EXPECT_FALSE(enter(Timeout::zero())) << "the second one is still inside";
}

TEST_F(GateTest, AWaiterTimesOut) {
  ASSERT_TRUE(enter(Timeout::zero()));
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
  const auto first = enter(Timeout::zero());
  EXPECT_FALSE(enter(test::scaled(5ms)));
  gate.leave(first->number);
  EXPECT_TRUE(enter(Timeout::zero()));
}

TEST_F(GateTest, ClosingWakesEverybody) {
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

TEST_F(GateTest, DoesNotHandOverToNobody) {
  const auto first = enter(Timeout::zero());
  EXPECT_FALSE(hand_over(grant(first->number)));
}

TEST_F(GateTest, DoesNotHandOverBeyondTheBudget) {
  const auto first = enter(Timeout::zero());
  auto waiter = enter_later();
  auto one_more = grant(first->number);
  ASSERT_TRUE(eventually([&] { return gate.waiting() == 1; }));
  EXPECT_FALSE(hand_over(grant(first->number, 0))) << "no token left";
  EXPECT_FALSE(hand_over(one_more, LeaseOptions::fixed(1s))) << "a fixed lease";
  EXPECT_FALSE(hand_over(one_more, {.cap = 1h})) << "a capped lease";
  EXPECT_FALSE(hand_over(one_more, {.ttl = 5s})) << "another lease than the waiter's";
  EXPECT_FALSE(gate.hand_over(one_more, {}, Clock::now())) << "no longer valid";
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

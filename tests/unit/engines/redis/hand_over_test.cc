// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/hand_over.h"

#include <gtest/gtest.h>

#include <memory>

#include "engines/redis/wakeups.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;

TEST(RedisHandOverMessage, IsReadAsTheScriptsSpellIt) {
  const auto grant = read_hand_over(" 1763400000000001 32 1763400000123456 3000");
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->token.value, 1763400000000001u);
  EXPECT_EQ(grant->tokens, 32u);
  EXPECT_EQ(grant->granted, 1763400000123456us);
  EXPECT_EQ(grant->lease, 3000ms);
}

TEST(RedisHandOverMessage, IsOnlyAWakeUpOtherwise) {
  for (const char* const text :
       {"", " ", " 1", " 1 2 3", "1 2 3 4", " 1 2 3 x", " 1 2  3 4", " -1 2 3 4",
        " 1 2 99999999999999999 4", " 1 2 99999999999999999999 4"}) {
    EXPECT_FALSE(read_hand_over(text)) << text;
  }
}

// The request was sent at 10 s of our clock and carried out at 500 s of the server's.
class RedisServerTime : public testing::Test {
 protected:
  static Clock::time_point at(Clock::duration time) { return Clock::time_point(time); }
  static HandOver granted(std::chrono::microseconds when) {
    return {.token = {7}, .tokens = 1, .granted = when, .lease = 3s};
  }
  const ServerTime time_{at(10s), 500s};
};

TEST_F(RedisServerTime, OfAGrantIsNotLaterThanTheGrant) {
  EXPECT_EQ(time_.of_grant(granted(502s), at(12s)), at(12s));
  EXPECT_EQ(time_.of_grant(granted(502s), at(17s)), at(12s)) << "the message was late";
}

TEST_F(RedisServerTime, IsNotBelievedBeyondTheMessageIfItIsSetForward) {
  EXPECT_EQ(time_.of_grant(granted(9'000s), at(12s)), at(12s));
}

TEST_F(RedisServerTime, MakesAGrantOlderIfItIsSetBack) {
  EXPECT_EQ(time_.of_grant(granted(499s), at(12s)), at(9s));
}

class RedisWaiter : public testing::Test {
 protected:
  struct CountingSignal final : engine::Signal {
    void ring() noexcept override { ++rings; }
    void wait(engine::Deadline) noexcept override {}
    int rings = 0;
  };
  static HandOver granted_at(std::chrono::microseconds server_time) {
    return {.token = {7}, .tokens = 4, .granted = server_time, .lease = 3s};
  }
  const std::shared_ptr<CountingSignal> signal_ = std::make_shared<CountingSignal>();
  Waiter waiter_{0, signal_};
  const Clock::time_point now_ = Clock::now();
};

TEST_F(RedisWaiter, TakesADeliveredGrantOnce) {
  waiter_.blocked(ServerTime{now_, 100s}, 5);
  EXPECT_FALSE(waiter_.take_grant());
  waiter_.deliver(granted_at(100s));
  EXPECT_EQ(signal_->rings, 1);
  const auto grant = waiter_.take_grant();
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->token.value, 7u);
  EXPECT_EQ(grant->tokens, 4u);
  EXPECT_LE(grant->lease, 3s);
  EXPECT_FALSE(waiter_.take_grant());
}

TEST_F(RedisWaiter, DoesNotTakeAGrantThatIsHalfOver) {
  waiter_.blocked(ServerTime{now_ - 10s, 100s}, 5);
  waiter_.deliver(granted_at(108s));
  EXPECT_FALSE(waiter_.take_grant());
}

TEST_F(RedisWaiter, DoesNotTakeAGrantWhoseTimeItCannotTell) {
  waiter_.deliver(granted_at(100s));
  EXPECT_FALSE(waiter_.take_grant());
}

TEST_F(RedisWaiter, DoesNotTakeAGrantThatWasEnded) {
  waiter_.blocked(ServerTime{now_, 100s}, 5);
  waiter_.deliver(granted_at(100s));
  waiter_.deliver(std::nullopt);
  EXPECT_EQ(signal_->rings, 2);
  EXPECT_FALSE(waiter_.take_grant());
}

}  // namespace
}  // namespace holdfast::redis

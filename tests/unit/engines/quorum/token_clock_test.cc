// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/token_clock.h"

#include <gtest/gtest.h>

namespace holdfast::quorum {
namespace {

using std::chrono::microseconds;

// Returns the time at which the clock is read as so many microseconds.
TokenClock::Time at(std::int64_t us) {
  return TokenClock::Time(microseconds(us) - TokenClock::kAhead);
}

TEST(QuorumTokenClockTest, NamesTheTimeOneSecondAhead) {
  const TokenClock clock;
  EXPECT_EQ(clock.next_token(TokenClock::Time(microseconds(5)), {}).value, 1'000'005u);
  EXPECT_EQ(clock.next_token(at(1000), {}).value, 1000u);
  EXPECT_EQ(clock.next_token(at(1000), {999}).value, 1000u);
}

TEST(QuorumTokenClockTest, NamesWhatIsAboveTheLast) {
  const TokenClock clock;
  EXPECT_EQ(clock.next_token(at(1000), {1000}).value, 1001u);
  EXPECT_EQ(clock.next_token(at(1000), {5000}).value, 5001u);
}

TEST(QuorumTokenClockTest, AddsWhatItWasBehind) {
  TokenClock clock;
  clock.learn(at(1000), {1300});
  EXPECT_EQ(clock.next_token(at(2000), {}).value, 2300u);
  clock.learn(at(2000), {2100});
  EXPECT_EQ(clock.next_token(at(3000), {}).value, 3300u)
      << "it was further behind before";
}

TEST(QuorumTokenClockTest, LearnsNothingFromWhatIsBehindItself) {
  TokenClock clock;
  clock.learn(at(1000), {900});
  EXPECT_EQ(clock.next_token(at(2000), {}).value, 2000u);
}

// Two clients that claim in turn keep to the faster clock and do not drive each other
// further and further ahead.
TEST(QuorumTokenClockTest, ClientsDoNotRunAwayFromTheClocks) {
  constexpr std::int64_t kSkew = 500;
  TokenClock fast;
  TokenClock slow;
  FencingToken last;
  for (std::int64_t now = 1'000'000; now < 2'000'000; now += 100) {
    const FencingToken first = fast.next_token(at(now + kSkew), last);
    last = first;
    FencingToken second = slow.next_token(at(now + 50), {});
    if (second <= last) {
      slow.learn(at(now + 50), last);
      second = slow.next_token(at(now + 50), last);
    }
    ASSERT_GT(second, last);
    last = second;
    ASSERT_LE(last.value, static_cast<std::uint64_t>(now + 2 * kSkew));
  }
}

}  // namespace
}  // namespace holdfast::quorum

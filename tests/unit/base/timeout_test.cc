// SPDX-License-Identifier: Apache-2.0

#include "holdfast/timeout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "holdfast/lease.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

TEST(TimeoutTest, WhatDoesNotFitIsForever) {
  EXPECT_TRUE(Timeout(std::chrono::hours::max()).is_forever());
  EXPECT_TRUE(Timeout(std::chrono::milliseconds::max()).is_forever());
  EXPECT_TRUE(Timeout(std::chrono::nanoseconds::max()).is_forever());
  EXPECT_TRUE(Timeout(std::chrono::duration<double>(1e300)).is_forever());
  EXPECT_TRUE(Timeout(std::chrono::duration<double>(HUGE_VAL)).is_forever());
  EXPECT_EQ(Timeout(std::chrono::hours::max()), Timeout::forever());
}

TEST(TimeoutTest, WhatIsNotPositiveIsZero) {
  EXPECT_TRUE(Timeout(0s).is_zero());
  EXPECT_TRUE(Timeout(-1ns).is_zero());
  EXPECT_TRUE(Timeout(std::chrono::hours::min()).is_zero());
  EXPECT_TRUE(Timeout(std::chrono::duration<double>(NAN)).is_zero());
}

TEST(TimeoutTest, KeepsWhatFits) {
  EXPECT_EQ(Timeout(250ms).span(), 250ms);
  EXPECT_EQ(Timeout(std::chrono::duration<double>(0.5)).span(), 500ms);
  EXPECT_EQ(Timeout(std::chrono::nanoseconds::max() - 1ns).span(),
            std::chrono::nanoseconds::max() - 1ns);
  EXPECT_LT(Timeout(1s), Timeout(2s));
}

TEST(TimeoutTest, IsAConstant) {
  constexpr Timeout kForever = Timeout::forever();
  static_assert(kForever.is_forever() && Timeout::zero().is_zero());
  constexpr LeaseOptions kLease{.ttl = 1s};
  static_assert(kLease.cap == kForever);
}

TEST(TimeoutTest, UntilAMomentOfAnyClock) {
  const auto span = Timeout::until(std::chrono::steady_clock::now() + 10min).span();
  EXPECT_LE(span, 10min);
  EXPECT_GT(span, 9min);
  EXPECT_TRUE(Timeout::until(std::chrono::system_clock::now() - 1s).is_zero());
  using Coarse = std::chrono::time_point<std::chrono::system_clock, std::chrono::hours>;
  EXPECT_TRUE(Timeout::until(Coarse::max()).is_forever());
  EXPECT_TRUE(Timeout::until(Coarse::min()).is_zero());
  EXPECT_TRUE(Timeout::until(std::chrono::system_clock::time_point::min()).is_zero());
}

TEST(TimeoutTest, DeadlinesDoNotOverflow) {
  const auto late = Clock::time_point::max() - 1s;
  EXPECT_EQ(Timeout(2s).deadline_from(late), Clock::time_point::max());
  EXPECT_EQ(Timeout(500ms).deadline_from(late), late + 500ms);
  EXPECT_EQ(Timeout::forever().deadline(), Clock::time_point::max());
}

}  // namespace
}  // namespace holdfast

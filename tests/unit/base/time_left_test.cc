// SPDX-License-Identifier: Apache-2.0

#include "base/time_left.h"

#include <gtest/gtest.h>

#include "fake_clock.h"

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

TEST(TimeLeftTest, IsTheSpanUntilTheDeadline) {
  test::FakeClock clock;
  EXPECT_EQ(time_left(Clock::now() + 5s), 5s);
  EXPECT_EQ(time_left(Clock::now() + 1ns), 1ns);
  clock.advance(3s);
  EXPECT_EQ(time_left(Clock::now() + 5s), 5s);
}

TEST(TimeLeftTest, IsZeroOnceTheDeadlineHasPassed) {
  const test::FakeClock clock;
  EXPECT_EQ(time_left(Clock::now()), 0ns);
  EXPECT_EQ(time_left(Clock::now() - 1ns), 0ns);
  EXPECT_EQ(time_left(Time{}), 0ns);
}

TEST(TimeLeftTest, DoesNotOverflowAtEitherEnd) {
  const test::FakeClock clock;
  EXPECT_EQ(time_left(Time::min()), 0ns);
  EXPECT_EQ(time_left(Time::min() + 1ns), 0ns);
  EXPECT_EQ(time_left(Time::max()), 1h);
  EXPECT_EQ(time_left(Time::max() - 1ns), 1h);
  EXPECT_EQ(time_left(Time::max(), Clock::duration::max()), Clock::duration::max());
}

TEST(TimeLeftTest, IsAtMostWhatTheCallerCanWait) {
  const test::FakeClock clock;
  EXPECT_EQ(time_left(Clock::now() + 2h), 1h);
  EXPECT_EQ(time_left(Clock::now() + 2h, 3h), 2h);
  EXPECT_EQ(time_left(Clock::now() + 2s, 1s), 1s);
  EXPECT_EQ(time_left(Time::min(), 1s), 0ns);
  EXPECT_EQ(time_left(Time::max(), 1s), 1s);
}

Clock::time_point not_to_be_read() noexcept {
  ADD_FAILURE() << "the clock was read";
  return {};
}

TEST(TimeLeftTest, DoesNotReadTheClockWithoutADeadline) {
  const auto before = Clock::set_source(not_to_be_read);
  EXPECT_EQ(time_left(Time::max()), 1h);
  Clock::set_source(before);
}

}  // namespace
}  // namespace holdfast::base

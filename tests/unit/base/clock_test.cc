// SPDX-License-Identifier: Apache-2.0

#include "holdfast/clock.h"

#include <gtest/gtest.h>

#include <ctime>

#include "fake_clock.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

TEST(ClockTest, IsBootTime) {
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_BOOTTIME, &before);
  const auto now = Clock::now().time_since_epoch();
  clock_gettime(CLOCK_BOOTTIME, &after);
  const auto span = [](const timespec& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
  };
  EXPECT_LE(span(before), now);
  EXPECT_GE(span(after), now);
}

TEST(ClockTest, CanBeReplacedAndComesBack) {
  const auto real = Clock::now();
  {
    test::FakeClock fake;
    const auto start = Clock::now();
    EXPECT_EQ(Clock::now(), start);
    fake.advance(24h);
    EXPECT_EQ(Clock::now(), start + 24h);
  }
  EXPECT_LT(Clock::now() - real, 1h);
}

}  // namespace
}  // namespace holdfast

// SPDX-License-Identifier: Apache-2.0

#include "histogram.h"

#include <gtest/gtest.h>

#include <sstream>

namespace holdfast::bench {
namespace {

TEST(Histogram, FindsPercentilesToASixteenth) {
  Histogram waits;
  for (std::int64_t us = 1; us <= 1000; ++us) waits.add(us * 1000);
  for (const double part : {0.1, 0.5, 0.99, 1.0}) {
    EXPECT_LE(waits.percentile_ms(part), part);
    EXPECT_GT(waits.percentile_ms(part), part * 15 / 16);
  }
  EXPECT_EQ(waits.longest_ms(), 1);
}

TEST(Histogram, IsExactBelowSixteenNanoseconds) {
  Histogram waits;
  for (std::int64_t ns = 0; ns < 16; ++ns) waits.add(ns);
  EXPECT_EQ(waits.percentile_ms(0.5), 7e-6);
}

TEST(Histogram, KeepsTheRareLongWaitOutOfThe99thPercentile) {
  Histogram waits;
  for (int i = 0; i < 999; ++i) waits.add(1024);
  waits.add(3'000'000'000);
  EXPECT_EQ(waits.percentile_ms(0.99), 1024e-6);
  EXPECT_EQ(waits.longest_ms(), 3000);
}

TEST(Histogram, AddsUpThoseOfSeveralThreads) {
  Histogram one;
  Histogram other;
  one.add(1024);
  for (int i = 0; i < 9; ++i) other.add(1 << 20);
  one.merge(other);
  EXPECT_EQ(one.percentile_ms(0.1), 1024e-6);
  EXPECT_EQ(one.percentile_ms(0.5), (1 << 20) / 1e6);
  EXPECT_EQ(one.longest_ms(), (1 << 20) / 1e6);
}

TEST(Histogram, HasAPlaceForEveryTime) {
  Histogram waits;
  waits.add(-1);
  waits.add(std::int64_t{1} << 62);
  EXPECT_EQ(waits.percentile_ms(0.5), 0);
  EXPECT_GT(waits.percentile_ms(1), 7.2e6);
}

// 1,024 ns is slot 112: six powers of two above 16 ns, of 16 slots each, after 16 slots
// of one nanosecond.
TEST(Histogram, ReadsWhatPeersWrite) {
  std::istringstream words("2100 112:3,128:1,\t17\t18");
  Histogram waits;
  int began = 0;
  words >> waits >> began;
  EXPECT_EQ(waits.percentile_ms(0.75), 1024e-6);
  EXPECT_EQ(waits.percentile_ms(1), 2048e-6);
  EXPECT_EQ(waits.longest_ms(), 2100e-6);
  EXPECT_EQ(began, 17);
}

}  // namespace
}  // namespace holdfast::bench

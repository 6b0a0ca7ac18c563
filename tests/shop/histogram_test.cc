// SPDX-License-Identifier: Apache-2.0

#include "load/histogram.h"

#include <gtest/gtest.h>

namespace holdfast::shop {
namespace {

using namespace std::chrono_literals;

TEST(ShopHistogram, IsEmptyAtFirst) {
  const Histogram none;
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.percentile(99), 0us);
  EXPECT_EQ(none.max(), 0us);
}

TEST(ShopHistogram, KnowsSmallValuesExactly) {
  Histogram histogram;
  for (int i = 1; i <= 100; ++i) histogram.record(std::chrono::microseconds(i));
  EXPECT_EQ(histogram.percentile(0), 1us);
  EXPECT_EQ(histogram.percentile(50), 50us);
  EXPECT_EQ(histogram.percentile(99), 99us);
  EXPECT_EQ(histogram.percentile(100), 100us);
  EXPECT_EQ(histogram.min(), 1us);
  EXPECT_DOUBLE_EQ(histogram.average_us(), 50.5);
}

TEST(ShopHistogram, KnowsEveryValueToOnePercent) {
  for (std::int64_t value = 1; value < 3'600'000'000; value = value * 3 / 2 + 1) {
    Histogram histogram;
    histogram.record(std::chrono::microseconds(value));
    histogram.record(1h);  // so that the maximum does not bound it
    const auto found = static_cast<double>(histogram.percentile(50).count());
    EXPECT_GE(found, static_cast<double>(value));
    EXPECT_LE(found, static_cast<double>(value) * 1.008);
  }
}

TEST(ShopHistogram, TakesWhatIsOutOfRange) {
  Histogram histogram;
  histogram.record(-5us);
  histogram.record(100h);
  EXPECT_EQ(histogram.min(), 0us);
  EXPECT_EQ(histogram.max(), 1h);
}

// One answer after 100 ms, where one is due each ms, hides 99 others.
TEST(ShopHistogram, AddsTheRequestsThatAStallHid) {
  Histogram histogram;
  histogram.record(1ms, 9900);
  histogram.record(100ms);
  EXPECT_LE(histogram.percentile(99.5), 1010us);
  const Histogram all = histogram.corrected(1ms);
  EXPECT_EQ(all.count(), 9900U + 100U);
  EXPECT_GE(all.percentile(99.5), 49ms);
  EXPECT_EQ(histogram.corrected(0us).count(), histogram.count());
}

TEST(ShopHistogram, TellsWhatCameLater) {
  Histogram histogram;
  histogram.record(1ms, 100);
  const Histogram earlier = histogram;
  EXPECT_EQ(histogram.since(earlier).count(), 0U);
  histogram.record(100us, 9);
  histogram.record(50ms);
  const Histogram later = histogram.since(earlier);
  EXPECT_EQ(later.count(), 10U);
  EXPECT_EQ(later.percentile(50), 100us);
  EXPECT_EQ(later.max(), 50ms);
}

}  // namespace
}  // namespace holdfast::shop

// SPDX-License-Identifier: Apache-2.0

#include "duration.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

TEST(DurationTest, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_duration("500ms"), 500ms);
  EXPECT_EQ(parse_duration("3s"), 3s);
  EXPECT_EQ(parse_duration("2m"), 2min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("1d"), 24h);
  EXPECT_EQ(parse_duration("3"), 3s);
  EXPECT_EQ(parse_duration("0"), 0s);
  EXPECT_EQ(parse_duration("0.25"), 250ms);
  EXPECT_EQ(parse_duration("1.5m"), 90s);
}

TEST(DurationTest, TooLongIsTheLongest) {
  EXPECT_EQ(parse_duration("99999999999999999999d"), Duration::max());
}

TEST(DurationTest, RefusesTheRest) {
  for (const char* text :
       {"", "s", "-1", "-0", "1 s", " 1", "1x", "1sx", "nan", "inf", "1e3", "0x10"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(DurationTest, FormatsForAPerson) {
  EXPECT_EQ(format_duration(850ms), "850ms");
  EXPECT_EQ(format_duration(27s), "27s");
  EXPECT_EQ(format_duration(12min), "12m");
  EXPECT_EQ(format_duration(5h), "5h");
  EXPECT_EQ(format_duration(72h), "3d");
}

}  // namespace
}  // namespace holdfast::cli

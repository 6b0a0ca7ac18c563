// SPDX-License-Identifier: Apache-2.0

#include "base/durations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;

TEST(DurationsTest, ReadsNumberAndUnit) {
  EXPECT_EQ(parse_duration("500ms").value(), 500ms);
  EXPECT_EQ(parse_duration("3s").value(), 3s);
  EXPECT_EQ(parse_duration("2m").value(), 2min);
  EXPECT_EQ(parse_duration("1h").value(), 1h);
  EXPECT_EQ(parse_duration("2d").value(), 48h);
  EXPECT_EQ(parse_duration("0s").value(), 0s);
}

TEST(DurationsTest, RefusesEverythingElse) {
  for (const char* text : {"", "s", "5", "5 s", "-1s", "+1s", "1w", "1.5s", "1sx",
                           "99999999999999999999s", "9223372036854775807h"}) {
    const auto span = parse_duration(text);
    ASSERT_FALSE(span) << text;
    EXPECT_EQ(span.error().code, Errc::bad_argument);
    EXPECT_THAT(span.error().message(), testing::HasSubstr("500ms"));
  }
}

TEST(DurationsTest, SpellsForAPerson) {
  EXPECT_EQ(spell_duration(0ns), "0 ms");
  EXPECT_EQ(spell_duration(250ms), "250 ms");
  EXPECT_EQ(spell_duration(12s), "12 s");
  EXPECT_EQ(spell_duration(119s), "119 s");
  EXPECT_EQ(spell_duration(4min), "4 min");
  EXPECT_EQ(spell_duration(49h), "49 h");
}

}  // namespace
}  // namespace holdfast::base

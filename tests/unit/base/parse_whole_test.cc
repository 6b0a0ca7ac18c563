// SPDX-License-Identifier: Apache-2.0

#include "base/parse_whole.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/fnv1a.h"

namespace holdfast::base {
namespace {

TEST(ParseWholeTest, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_whole<std::uint16_t>("6379"), 6379);
  EXPECT_EQ(parse_whole<std::uint16_t>("65535"), 65'535);
  EXPECT_EQ(parse_whole<std::int64_t>("-1"), -1);
  EXPECT_EQ(parse_whole<std::int64_t>("ff", 16), 255);
  EXPECT_EQ(parse_whole<int>(std::string_view("12345").substr(1, 2)), 23);
  for (const char* const each : {"", " 1", "1 ", "+1", "1x", "x", "-1", "65536"}) {
    EXPECT_EQ(parse_whole<std::uint16_t>(each), std::nullopt) << each;
  }
}

// The values are those of the hash's authors.
TEST(Fnv1aTest, IsTheKnownHash) {
  static_assert(fnv1a("") == 0xcbf29ce484222325);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
}

}  // namespace
}  // namespace holdfast::base

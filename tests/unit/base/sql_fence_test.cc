// SPDX-License-Identifier: Apache-2.0

#include "holdfast/sql_fence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast {
namespace {

using ::testing::HasSubstr;

TEST(SqlFenceTest, SpellsTheStatements) {
  const SqlFence fence = SqlFence::of("stock", "id", "last_fence").value();
  EXPECT_EQ(fence.assignment(), "last_fence = ?");
  EXPECT_EQ(fence.condition(), "last_fence <= ?");
  EXPECT_EQ(fence.admission(),
            "UPDATE stock SET last_fence = ? WHERE id = ? AND last_fence <= ?");
  EXPECT_EQ(fence.question(), "SELECT last_fence FROM stock WHERE id = ?");
}

TEST(SqlFenceTest, TakesPlainNamesAlone) {
  EXPECT_TRUE(SqlFence::of("Stock_2", "_id", std::string(64, 'x')));
  for (const std::string_view bad :
       {"", "a b", "a;b", "a'b", "a`b", "a\"b", "a.b", "a-b", "a=1--", "1a",
        "t\xc3\xa4g", "id = id OR id"}) {
    for (const auto& made : {SqlFence::of(bad, "id", "f"), SqlFence::of("t", bad, "f"),
                             SqlFence::of("t", "id", bad)}) {
      ASSERT_FALSE(made) << bad;
      EXPECT_EQ(made.error().code, Errc::bad_argument);
      EXPECT_THAT(made.error().message(), HasSubstr("\"" + printable(bad) + "\""));
    }
  }
  EXPECT_FALSE(SqlFence::of("t", "id", std::string(65, 'x')));
  EXPECT_FALSE(SqlFence::of("t", "id", std::string_view("a\0b", 3)));
}

TEST(SqlFenceTest, TellsAStaleTokenFromAMissingRow) {
  const auto stale = SqlFence::explain_no_match({6}, FencingToken{7});
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, Errc::stale_token);
  EXPECT_THAT(stale.error().message(),
              HasSubstr("token 6 is stale: the row has seen 7"));
  EXPECT_EQ(SqlFence::explain_no_match({6}, std::nullopt).error().code,
            Errc::bad_argument);
  EXPECT_EQ(SqlFence::explain_no_match({}, FencingToken{0}).error().code,
            Errc::bad_argument);
  EXPECT_TRUE(SqlFence::explain_no_match({7}, FencingToken{7}))
      << "the token is current, so another condition was not met";
  EXPECT_TRUE(SqlFence::explain_no_match({7}, FencingToken{0}));
}

}  // namespace
}  // namespace holdfast

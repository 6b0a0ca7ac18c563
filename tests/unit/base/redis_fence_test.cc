// SPDX-License-Identifier: Apache-2.0

#include "holdfast/redis_fence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/common_failures.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const RedisFence kFence = RedisFence::of("stock:fence").value();

TEST(RedisFenceTest, PutsTheCommandBehindTheToken) {
  const auto words = kFence.write({17}, {"stock", "sold"}, {"RENAME", "stock", "sold"});
  ASSERT_TRUE(words);
  EXPECT_THAT(*words,
              ElementsAre("EVAL", HasSubstr("redis.call"), "3", "stock:fence", "stock",
                          "sold", "17", "1", "RENAME", "stock", "sold"));
  EXPECT_EQ(*words, *kFence.read({17}, {"stock", "sold"}, {"RENAME", "stock", "sold"}));
}

TEST(RedisFenceTest, ASharedTokenIsNotRemembered) {
  const auto words = kFence.read_shared({17}, {"stock"}, {"GET", "stock"});
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, ElementsAre("EVAL", HasSubstr("redis.call"), "2", "stock:fence",
                                  "stock", "17", "0", "GET", "stock"));
}

TEST(RedisFenceTest, RefusesWhatCannotBeFenced) {
  EXPECT_EQ(RedisFence::of("").error().code, Errc::bad_argument);
  EXPECT_EQ(kFence.write({}, {"stock"}, {"DECR", "stock"}).error().code,
            Errc::bad_argument);
  const auto nothing = kFence.write({17}, {"stock"}, {});
  EXPECT_EQ(nothing.error().code, Errc::bad_argument);
  EXPECT_THAT(nothing.error().message(), HasSubstr("\"stock:fence\""));
}

TEST(RedisFenceTest, TellsAStaleTokenFromAFailedCommand) {
  const std::string text =
      base::stale_token("the fence \"stock:fence\"", {6}, {7}).context;
  for (const std::string_view dash : {"", "-"}) {
    const auto stale =
        RedisFence::explain_error(std::string(dash) + "STALETOKEN " + text);
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().code, Errc::stale_token);
    EXPECT_THAT(stale.error().message(), HasSubstr(text));
  }
  const auto words = kFence.write({6}, {"stock"}, {"DECR", "stock"});
  EXPECT_THAT(words.value().at(1), HasSubstr(text.substr(text.find("; acquire"))));
  EXPECT_EQ(RedisFence::explain_error("NOTOKEN the key ...").error().code,
            Errc::bad_argument);
  EXPECT_TRUE(RedisFence::explain_error("WRONGTYPE Operation against a key ..."));
}

}  // namespace
}  // namespace holdfast

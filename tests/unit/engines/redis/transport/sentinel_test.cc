// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/sentinel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace holdfast::redis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Reply reply_of(std::string_view bytes) {
  ReplyReader reader;
  EXPECT_TRUE(reader.feed(bytes));
  auto reply = reader.next();
  return reply && *reply ? **std::move(reply) : Reply();
}

constexpr std::string_view kAddress = "*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n";
constexpr std::string_view kFields =
    "*4\r\n$10\r\nnum-slaves\r\n$1\r\n2\r\n$12\r\nconfig-epoch\r\n$1\r\n7\r\n";
constexpr std::string_view kOthers =
    "*2\r\n*4\r\n$2\r\nip\r\n$8\r\n10.0.0.2\r\n$4\r\nport\r\n$5\r\n26379\r\n"
    "*2\r\n$4\r\nname\r\n$1\r\nx\r\n";

Result<SentinelAnswer> read_answer(std::string_view address,
                                   std::string_view fields = kFields,
                                   std::string_view others = kOthers) {
  Endpoint sentinel;
  sentinel.host = {"s1", 26379};
  sentinel.sentinels = sentinel.is_sentinel = true;
  const std::array<Reply, 3> replies{reply_of(address), reply_of(fields),
                                     reply_of(others)};
  return read_sentinel_answer(replies, sentinel, "shop");
}

TEST(RedisSentinelAnswerTest, HasThePrimaryAndWhatIsKnownOfIt) {
  const auto answer = read_answer(kAddress);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->primary, (base::Host{"10.0.0.1", 6379}));
  EXPECT_EQ(answer->epoch, 7);
  EXPECT_EQ(answer->replicas, 2);
  EXPECT_THAT(answer->others, ElementsAre(base::Host{"10.0.0.2", 26379}));
}

TEST(RedisSentinelAnswerTest, AUserMayAskForTheAddressAlone) {
  const auto answer = read_answer(kAddress, "-NOPERM no\r\n", "-NOPERM no\r\n");
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->primary, (base::Host{"10.0.0.1", 6379}));
  EXPECT_EQ(answer->epoch, 0);
  EXPECT_TRUE(answer->others.empty());
}

TEST(RedisSentinelAnswerTest, SaysWhatIsWrongWithTheUrl) {
  const auto unknown = read_answer("*-1\r\n");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::bad_url);
  EXPECT_THAT(unknown.error().message(), HasSubstr("\"shop\""));
  const auto server = read_answer("-ERR unknown command 'SENTINEL'\r\n");
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, Errc::bad_url);
  EXPECT_THAT(server.error().message(), HasSubstr("redis://s1:26379"));
  const auto denied = read_answer("-NOPERM this user has no permissions\r\n");
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, Errc::denied);
  EXPECT_FALSE(read_answer("*2\r\n$1\r\nh\r\n$5\r\n99999\r\n")) << "not a port";
}

TEST(RedisSentinelAnswerTest, OfAnOlderEpochIsBelievedFromMostSentinelsAlone) {
  const SentinelAnswer older{.primary = {"old", 1}, .epoch = 6};
  const SentinelAnswer newer{.primary = {"new", 1}, .epoch = 8};
  const std::optional<SentinelAnswer> known = read_answer(kAddress).value();
  EXPECT_TRUE(is_believed(older, false, std::nullopt));
  EXPECT_TRUE(is_believed(newer, false, known));
  EXPECT_TRUE(is_believed(*known, false, known));
  EXPECT_FALSE(is_believed(older, false, known)) << "it was cut off with the old one";
  EXPECT_TRUE(is_believed(older, true, known)) << "the sentinels were set up anew";
}

}  // namespace
}  // namespace holdfast::redis

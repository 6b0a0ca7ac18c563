// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/reply.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace holdfast::redis {
namespace {

Reply read(std::string_view bytes) {
  ReplyReader reader;
  EXPECT_TRUE(reader.feed(bytes));
  auto reply = reader.next();
  EXPECT_TRUE(reply) << bytes;
  EXPECT_TRUE(reply && *reply) << bytes;
  return reply && *reply ? **std::move(reply) : Reply();
}

// Feeds in pieces of `step` bytes until something is wrong.
Result<void> feed_all(std::string_view bytes, std::size_t step) {
  ReplyReader reader;
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, step);
    if (auto fed = reader.feed(piece); !fed) return fed;
    for (;;) {
      const auto reply = reader.next();
      if (!reply) return reply.error();
      if (!*reply) break;
    }
    bytes.remove_prefix(piece.size());
  }
  return {};
}

TEST(RedisReplyTest, ReadsEveryType) {
  EXPECT_EQ(read("+OK\r\n").view().text(), "OK");
  EXPECT_EQ(read(":42\r\n").view().number(), 42);
  EXPECT_EQ(read("$2\r\nab\r\n").view().text(), "ab");
  EXPECT_TRUE(read("$-1\r\n").view().is_nil());
  EXPECT_TRUE(read("*-1\r\n").view().is_nil());
  EXPECT_TRUE(read("-ERR x\r\n").view().is_error());

  const Reply array = read("*3\r\n:1\r\n$1\r\nx\r\n*0\r\n");
  EXPECT_TRUE(array.view().is_array());
  ASSERT_EQ(array.view().size(), 3u);
  EXPECT_EQ(array.view()[1].text(), "x");
  EXPECT_EQ(array.view()[2].size(), 0u);
}

TEST(RedisReplyTest, WhatItIsNotIsNothing) {
  const Reply text = read("$3\r\n12x\r\n");
  EXPECT_EQ(text.view().number(), 0);
  EXPECT_EQ(text.view().size(), 0u);
  EXPECT_TRUE(text.view()[7].is_nil());
  EXPECT_TRUE(text.view()[7][3].is_nil());
  EXPECT_EQ(read(":5\r\n").view().text(), "");
  EXPECT_EQ(read("-5\r\n").view().number(), 0);
  EXPECT_TRUE(Reply().view().is_nil());
}

TEST(RedisReplyTest, DecimalTextIsANumber) {
  EXPECT_EQ(read("$16\r\n1700000000000001\r\n").view().number(), 1700000000000001);
  EXPECT_EQ(read("$2\r\n-7\r\n").view().number(), -7);
  EXPECT_EQ(read("$20\r\n99999999999999999999\r\n").view().number(), 0);
}

TEST(RedisReplyTest, WaitsForTheRest) {
  const std::string_view bytes = "*2\r\n$5\r\nhello\r\n:-1\r\n";
  ReplyReader reader;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    ASSERT_TRUE(reader.feed(bytes.substr(i, 1)));
    const auto reply = reader.next();
    ASSERT_TRUE(reply);
    EXPECT_FALSE(*reply);
  }
  ASSERT_TRUE(reader.feed("\n"));
  const auto reply = reader.next();
  ASSERT_TRUE(reply && *reply);
  EXPECT_EQ((*reply)->view()[0].text(), "hello");
}

TEST(RedisReplyTest, ElementsOfArraysInArraysAreFound) {
  const Reply reply =
      read("*3\r\n*2\r\n:1\r\n*1\r\n$1\r\na\r\n*0\r\n*2\r\n+b\r\n$-1\r\n");
  const ReplyView all = reply.view();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0][0].number(), 1);
  EXPECT_EQ(all[0][1][0].text(), "a");
  EXPECT_TRUE(all[1].is_array());
  EXPECT_EQ(all[2][0].text(), "b");
  EXPECT_TRUE(all[2][1].is_nil());
  EXPECT_TRUE(all[2][2].is_nil());
}

TEST(RedisReplyTest, AViewOutlivesAMove) {
  Reply reply = read("*2\r\n$1\r\nx\r\n:7\r\n");
  const ReplyView before = reply.view();
  const Reply moved = std::move(reply);
  EXPECT_EQ(before[0].text(), "x");
  EXPECT_EQ(before[1].number(), 7);
}

TEST(RedisReplyTest, ReusedMemoryHoldsNothingOfTheReplyBefore) {
  ReplyReader reader;
  ASSERT_TRUE(reader.feed("*2\r\n$4\r\nlong\r\n:7\r\n*2\r\n$-1\r\n$1\r\nx\r\n:3\r\n"));
  reader.reuse(**reader.next());
  auto second = reader.next();
  ASSERT_TRUE(second && *second);
  EXPECT_TRUE((*second)->view()[0].is_nil());
  EXPECT_EQ((*second)->view()[1].text(), "x");
  reader.reuse(**std::move(second));
  const auto third = reader.next();
  ASSERT_TRUE(third && *third);
  EXPECT_EQ((*third)->view().number(), 3);
  EXPECT_EQ((*third)->view().size(), 0u);
}

TEST(RedisReplyTest, RefusesWhatRedisNeverSays) {
  for (const char* bytes :
       {"HTTP/1.1 400 Bad Request\r\n", "\x15\x03\x01", "hello\r\n", ":x\r\n",
        ":99999999999999999999\r\n", "$x\r\n", "$-2\r\n", "*-2\r\n", "*x\r\n",
        "$99999999999999999999\r\n", "*99999999999999999999\r\n", "%1\r\n+a\r\n+b\r\n",
        "*1\r\nx\r\n"}) {
    for (const std::size_t step : {1, 1000}) {
      const auto fed = feed_all(bytes, step);
      ASSERT_FALSE(fed) << bytes;
      EXPECT_EQ(fed.error().code, Errc::incompatible) << bytes;
    }
  }
}

TEST(RedisReplyTest, RefusesTooManyElementsBeforeTheyCome) {
  EXPECT_FALSE(feed_all("*2147483647\r\n", 1000));
  EXPECT_FALSE(feed_all("*100001\r\n", 1000));
  EXPECT_TRUE(feed_all("*100000\r\n", 1000));
  std::string nested = "*50000\r\n";
  for (int i = 0; i < 3; ++i) nested += "*30000\r\n" + std::string(120'000, ' ');
  EXPECT_FALSE(feed_all(nested, nested.size()));
}

TEST(RedisReplyTest, ElementsAreCountedByReply) {
  std::string many;
  for (int i = 0; i < 3; ++i) {
    many += "*60000\r\n";
    for (int element = 0; element < 60000; ++element) many += ":1\r\n";
  }
  EXPECT_TRUE(feed_all(many, 16'384));
}

TEST(RedisReplyTest, RefusesDeepNesting) {
  const auto nested = [](int levels) {
    std::string bytes;
    for (int i = 0; i < levels; ++i) bytes += "*1\r\n";
    return bytes + ":1\r\n";
  };
  EXPECT_TRUE(feed_all(nested(7), 1000));
  EXPECT_FALSE(feed_all(nested(9), 1000));
  EXPECT_FALSE(feed_all(nested(10'000), 1000));
}

TEST(RedisReplyTest, RefusesWhatIsTooLong) {
  const std::string head = "$33554432\r\n";
  EXPECT_FALSE(feed_all(head + std::string(17 << 20, 'x'), 65'536));
  EXPECT_FALSE(feed_all("+" + std::string(17 << 20, 'x'), 65'536));
  const std::string large(15 << 20, 'x');
  EXPECT_TRUE(
      feed_all("$" + std::to_string(large.size()) + "\r\n" + large + "\r\n", 65'536));
}

TEST(RedisReplyTest, KeepsEveryByte) {
  const Reply reply = read(std::string_view("$4\r\n\r\n\0x\r\n", 10));
  EXPECT_EQ(reply.view().text(), std::string_view("\r\n\0x", 4));
}

}  // namespace
}  // namespace holdfast::redis

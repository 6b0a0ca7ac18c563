// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/command.h"

#include <gtest/gtest.h>

namespace holdfast::redis {
namespace {

TEST(RedisCommandTest, SpellsWordsWithTheirLengths) {
  std::string out;
  Command(out, 3).add("SET").add("key").add(-42);
  EXPECT_EQ(out, "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$3\r\n-42\r\n");
}

TEST(RedisCommandTest, JoinsPiecesToOneWord) {
  std::string out;
  Command(out, 2).add("DEL").add("{", std::string("a b"), "}");
  EXPECT_EQ(out, "*2\r\n$3\r\nDEL\r\n$5\r\n{a b}\r\n");
}

TEST(RedisCommandTest, AppendsAndKeepsEveryByte) {
  std::string out;
  Command(out, 1).add("PING");
  Command(out, 2).add("ECHO").add(std::string_view("\r\n\0$", 4));
  EXPECT_EQ(out, std::string(
                     "*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nECHO\r\n$4\r\n\r\n\0$\r\n", 38));
}

TEST(RedisCommandTest, SpellsTheLargestNumbers) {
  std::string out;
  Command(out, 1).add(~std::uint64_t{0});
  EXPECT_EQ(out, "*1\r\n$20\r\n18446744073709551615\r\n");
}

}  // namespace
}  // namespace holdfast::redis

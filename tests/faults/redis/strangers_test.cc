// SPDX-License-Identifier: Apache-2.0

// Whatever answers at the port, or does not: it ends in good time, in one sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "faults/redis/ground.h"
#include "faults/stranger.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;

Failure failure_at(const std::string& at) { return clear_failure("redis://" + at, at); }

TEST(RedisStrangers, NoServer) {
  const Failure failure = failure_at("127.0.0.1:" + std::to_string(free_port()));
  EXPECT_EQ(failure.code, Errc::unavailable) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("refused"));
}

TEST(RedisStrangers, AHostThatDoesNotExist) {
  EXPECT_EQ(failure_at("no-such-host.invalid").code, Errc::unavailable);
}

TEST(RedisStrangers, AWebServer) {
  const Stranger web("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
                     After::close, Speaks::second);
  EXPECT_EQ(failure_at(web.at()).code, Errc::incompatible);
}

TEST(RedisStrangers, Garbage) {
  const Stranger garbage(noise(), After::keep, Speaks::second);
  EXPECT_EQ(failure_at(garbage.at()).code, Errc::incompatible);
}

TEST(RedisStrangers, MoreThanWasAskedFor) {
  for (const std::string huge :
       {"$9223372036854775807\r\n", "*2147483647\r\n", "$999999999999\r\nx",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"}) {
    const Stranger stranger(huge, After::keep, Speaks::second);
    EXPECT_THAT(failure_at(stranger.at()).code,
                AnyOf(Eq(Errc::incompatible), Eq(Errc::unavailable)))
        << huge;
  }
}

TEST(RedisStrangers, ASilentServer) {
  const Stranger silent("", After::keep, Speaks::first);
  EXPECT_EQ(failure_at(silent.at()).code, Errc::unavailable);
}

TEST(RedisStrangers, AServerThatHangsUp) {
  const Stranger rude("", After::close, Speaks::first);
  EXPECT_THAT(failure_at(rude.at()).code,
              AnyOf(Eq(Errc::unavailable), Eq(Errc::incompatible)));
}

}  // namespace
}  // namespace holdfast::test

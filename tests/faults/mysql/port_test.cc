// Whatever answers at the port, or does not: it ends in good time, in one sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/mysql/ground.h"
#include "faults/stranger.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

void expect_no_mysql(const std::string& at) {
  const auto start = Clock::now();
  const Failure failure = first_failure("mysql://ann:c4n4ry@" + at + "/locks");
  EXPECT_LT(Clock::now() - start, patience());
  EXPECT_EQ(failure.code, Errc::unavailable) << failure.message();
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr(at));
}

TEST(MysqlPort, Nobody) { expect_no_mysql("127.0.0.1:" + std::to_string(free_port())); }

TEST(MysqlPort, AHostThatDoesNotExist) { expect_no_mysql("no-such-host.invalid:3306"); }

TEST(MysqlPort, SomebodyWhoGreetsOtherwise) {
  const Stranger mail("220 mail.example ESMTP\r\n", After::keep, Speaks::first);
  expect_no_mysql(mail.at());
}

TEST(MysqlPort, Noise) {
  const Stranger garbage(noise(), After::keep, Speaks::first);
  expect_no_mysql(garbage.at());
}

TEST(MysqlPort, SomebodySilent) {
  const Stranger silent("", After::keep, Speaks::first);
  expect_no_mysql(silent.at());
}

TEST(MysqlPort, SomebodyWhoHangsUp) {
  const Stranger rude("", After::close, Speaks::first);
  expect_no_mysql(rude.at());
}

TEST(MysqlPort, SomebodyWhoHangsUpInTheMiddle) {
  const Stranger rude(std::string("\x4a\0\0\0\x0a"
                                  "10.11",
                                  10),
                      After::close, Speaks::first);
  expect_no_mysql(rude.at());
}

// Error 1040, as a server that is full says before it greets.
TEST(MysqlPort, SomebodyWhoRefuses) {
  const Stranger full(std::string("\x17\0\0\0\xff\x10\x04", 7) + "Too many connections",
                      After::close, Speaks::first);
  expect_no_mysql(full.at());
}

using MysqlSilence = OnMysql;

TEST_F(MysqlSilence, AServerThatFallsSilent) {
  Mutex mutex(open(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  line_.freeze();
  const auto start = Clock::now();
  const auto refused = mutex.acquire({.wait = scaled(500ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << refused.error().message();
  EXPECT_LT(Clock::now() - start, patience() / 2);
  line_.thaw();
  EXPECT_TRUE(mutex.acquire({.wait = patience()}));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Something else answers at the port, or nothing does. The failure comes in good time
// and says so in one sentence.

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"
#include "faults/stranger.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

void expect_no_mysql(const std::string& at, Errc code = Errc::unavailable) {
  const Failure why = clear_failure("mysql://ann:c4n4ry@" + at + "/locks", at);
  EXPECT_EQ(why.code, code) << why.message();
  EXPECT_NE(why.message().find("MySQL"), std::string::npos) << why.message();
}

TEST(MysqlPort, IsClosed) {
  expect_no_mysql("127.0.0.1:" + std::to_string(free_port()));
}

TEST(MysqlPort, AHostThatDoesNotExist) { expect_no_mysql("no-such-host.invalid:3306"); }

TEST(MysqlPort, HasAnotherGreeting) {
  const Stranger mail("220 mail.example ESMTP\r\n", After::keep, Speaks::first);
  expect_no_mysql(mail.at(), Errc::incompatible);
}

TEST(MysqlPort, Noise) {
  const Stranger garbage(noise(), After::keep, Speaks::first);
  expect_no_mysql(garbage.at(), Errc::incompatible);
}

TEST(MysqlPort, IsSilent) {
  const Stranger silent("", After::keep, Speaks::first);
  expect_no_mysql(silent.at());
}

TEST(MysqlPort, HangsUp) {
  const Stranger rude("", After::close, Speaks::first);
  expect_no_mysql(rude.at());
}

TEST(MysqlPort, HangsUpInTheMiddle) {
  const Stranger rude(std::string("\x4a\0\0\0\x0a"
                                  "10.11",
                                  10),
                      After::close, Speaks::first);
  expect_no_mysql(rude.at());
}

// A server without free connections sends error 1040 instead of a greeting.
TEST(MysqlPort, Refuses) {
  const Stranger full(std::string("\x17\0\0\0\xff\x10\x04", 7) + "Too many connections",
                      After::close, Speaks::first);
  expect_no_mysql(full.at());
}

}  // namespace
}  // namespace holdfast::test

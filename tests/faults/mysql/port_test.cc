// Whatever answers at the port, or does not: it ends in good time, in one sentence.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "faults/mysql/ground.h"
#include "faults/stranger.h"
#include "support/free_port.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void expect_no_mysql(const std::string& at) {
  EXPECT_EQ(clear_failure("mysql://ann:c4n4ry@" + at + "/locks", at).code,
            Errc::unavailable);
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

// The password itself, not the proof that we know it.
TEST(MysqlPort, SomebodyWhoAsksForThePassword) {
  using namespace std::string_literals;
  const std::string greeting =
      "\x0a"
      "10.11.0\0\1\0\0\0abcdefgh\0\x09\x82\x2d\2\0\x08\0\x15"s +
      std::string(10, '\0') + "ijklmnopqrst\0mysql_clear_password\0"s;
  const std::string packet =
      std::string(1, static_cast<char>(greeting.size())) + "\0\0\0"s + greeting;
  const Socket listening = listen_here();
  std::string heard;
  std::jthread thief([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Socket client = accept_on(listening, 20);
      if (!client) continue;
      (void)!send(client.fd(), packet.data(), packet.size(), MSG_NOSIGNAL);
      char bytes[1024];
      const ssize_t n = recv(client.fd(), bytes, sizeof bytes, 0);
      if (n > 0) heard.append(bytes, static_cast<std::size_t>(n));
    }
  });
  const std::string at = "127.0.0.1:" + std::to_string(port_of(listening));
  const Failure failure = first_failure("mysql://ann:c4n4ry@" + at + "/locks");
  thief = {};
  EXPECT_THAT(heard, Not(HasSubstr("c4n4ry"))) << failure.message();
  EXPECT_THAT(failure.message(), Not(HasSubstr("c4n4ry")));
}

// Error 1040, as a server that is full says before it greets.
TEST(MysqlPort, SomebodyWhoRefuses) {
  const Stranger full(std::string("\x17\0\0\0\xff\x10\x04", 7) + "Too many connections",
                      After::close, Speaks::first);
  expect_no_mysql(full.at());
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/redis/transport/scripted_server.h"
#include "support/scale.h"

namespace holdfast::redis {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

engine::Deadline in_time() { return Clock::now() + test::scaled(5s); }

// Returns the failure of a handshake with a server that says `answer` after it has read
// all of the request.
Failure answer_to_handshake(const std::string& answer, Endpoint endpoint = {}) {
  ScriptedServer server([&](ScriptedConnection& connection) {
    connection.hear("SETNAME");
    connection.say(answer);
    if (!answer.empty()) connection.linger();
  });
  endpoint.host = server.endpoint().host;
  const auto stream = open_stream(endpoint, in_time());
  if (stream) return Failure(std::error_code());
  EXPECT_THAT(stream.error().message(), HasSubstr(endpoint.spelt()));
  return stream.error();
}

Endpoint with_password() {
  Endpoint endpoint;
  endpoint.user = "app";
  endpoint.password = base::Secret("canary");
  return endpoint;
}

TEST(RedisHandshakeTest, AsksForWhatTheUrlSays) {
  std::string order;
  ScriptedServer server([&](ScriptedConnection& connection) {
    for (const char* word : {"AUTH", "app", "canary", "SELECT", "$1\r\n3", "SETNAME"}) {
      if (connection.hear(word)) order += "+";
    }
    connection.say("+OK\r\n+OK\r\n+OK\r\n");
    connection.linger();
  });
  Endpoint endpoint = with_password();
  endpoint.host = server.endpoint().host;
  endpoint.db = 3;
  const auto stream = open_stream(endpoint, in_time());
  EXPECT_TRUE(stream) << stream.error().message();
  EXPECT_EQ(order, "++++++");
}

TEST(RedisHandshakeTest, AServerThatKnowsNoNamesIsFine) {
  EXPECT_FALSE(answer_to_handshake("+PONG\r\n-ERR unknown subcommand\r\n").code);
  EXPECT_FALSE(answer_to_handshake("-NOPERM ping\r\n-NOPERM client\r\n").code);
}

TEST(RedisHandshakeTest, SaysWhichUserIsNotLetIn) {
  const Failure none = answer_to_handshake("-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(none.code, Errc::denied);
  EXPECT_THAT(none.message(), HasSubstr("wants a password"));

  for (const char* answer :
       {"-WRONGPASS invalid username-password pair\r\n",
        "-ERR AUTH <password> called without any password configured\r\n"}) {
    const Failure wrong = answer_to_handshake(answer, with_password());
    EXPECT_EQ(wrong.code, Errc::denied);
    EXPECT_THAT(wrong.message(), HasSubstr("\"app\"; check the user"));
    EXPECT_THAT(wrong.message(), Not(HasSubstr("canary")));
  }
  EXPECT_EQ(answer_to_handshake("-DENIED Redis is running in protected mode\r\n").code,
            Errc::denied);
}

TEST(RedisHandshakeTest, SaysWhatIsNotRedis) {
  for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n",
                             "+PONG\r\n+OK\r\n+MORE\r\n"}) {
    const Failure why = answer_to_handshake(answer);
    EXPECT_EQ(why.code, Errc::incompatible) << answer;
    EXPECT_THAT(why.message(), HasSubstr("not as Redis does: check the URL"));
  }
  const Failure alert =
      answer_to_handshake(std::string("\x15\x03\x01\x00\x02\x02\x46", 7));
  EXPECT_EQ(alert.code, Errc::incompatible);
  EXPECT_THAT(alert.message(), HasSubstr("rediss://"));
}

TEST(RedisHandshakeTest, WhatMayPassIsUnavailable) {
  for (const char* answer : {"", "-LOADING Redis is loading\r\n",
                             "-ERR max number of clients reached\r\n"}) {
    EXPECT_EQ(answer_to_handshake(answer).code, Errc::unavailable) << answer;
  }
}

TEST(RedisHandshakeTest, GuessesWhyAServerHangsUp) {
  EXPECT_THAT(
      answer_to_handshake("").message(),
      HasSubstr("; check that it runs and can be reached; if it speaks TLS, the "
                "URL starts with rediss://"));
}

TEST(RedisHandshakeTest, SaysThatADatabaseIsNotThere) {
  Endpoint endpoint;
  endpoint.db = 99;
  const Failure why =
      answer_to_handshake("-ERR DB index is out of range\r\n", endpoint);
  EXPECT_EQ(why.code, Errc::bad_url);
  EXPECT_THAT(why.message(), HasSubstr("no database 99: name a smaller number"));
}

TEST(RedisHandshakeTest, EndsInTime) {
  ScriptedServer server([](ScriptedConnection& connection) { connection.linger(); });
  const auto start = Clock::now();
  const auto stream = open_stream(server.endpoint(), start + 50ms);
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().code, Errc::unavailable);
  EXPECT_GE(Clock::now() - start, 50ms);
  EXPECT_LT(Clock::now() - start, test::scaled(5s));
}

}  // namespace
}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "support/redis_server.h"

#include <gtest/gtest.h>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

TEST(RedisServer, AnswersInTheProtocol) {
  const RedisServer server;
  EXPECT_EQ(server.command({"SET", "a", "two words"}), "OK");
  EXPECT_EQ(server.command({"GET", "a"}), "two words");
  EXPECT_EQ(server.command({"GET", "b"}), "nil");
  EXPECT_EQ(server.command({"KEYS", "*"}), "a");
  EXPECT_TRUE(server.command({"HGET", "a", "b"}).starts_with("WRONGTYPE "));
  EXPECT_EQ(server.calls("set"), 1);
}

TEST(RedisServer, ForgetsOrRemembersOverARestart) {
  for (const bool remembers : {false, true}) {
    RedisServer server(
        remembers ? std::vector<std::string>{"appendonly yes", "appendfsync always"}
                  : std::vector<std::string>{});
    const auto port = server.port();
    server.command({"SET", "a", "1"});
    server.kill();
    EXPECT_THROW(server.command({"PING"}), std::runtime_error);
    server.start();
    EXPECT_EQ(server.port(), port);
    EXPECT_EQ(server.command({"GET", "a"}), remembers ? "1" : "nil");
    server.stop();
    server.start();
    EXPECT_EQ(server.command({"GET", "a"}), remembers ? "1" : "nil");
  }
}

TEST(RedisServer, StandsStill) {
  RedisServer server;
  RedisSocket redis(server.port());
  server.pause();
  redis.send(spell_request({"PING"}));
  EXPECT_THROW(redis.read(50ms), std::runtime_error);
  server.resume();
  EXPECT_EQ(redis.read().spelt(), "PONG");
}

TEST(RedisServer, KeepsItsPassword) {
  const RedisServer server({"requirepass c4n4ry"});
  EXPECT_EQ(server.command({"PING"}), "PONG");
  EXPECT_TRUE(RedisSocket(server.port()).call({"PING"}).text.starts_with("NOAUTH"));
}

TEST(RedisServer, SaysWhyItDoesNotStart) {
  EXPECT_THROW(RedisServer({"unixsocket /no/such/folder/socket"}), std::runtime_error);
}

}  // namespace
}  // namespace holdfast::test

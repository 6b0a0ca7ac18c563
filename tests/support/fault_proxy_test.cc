// SPDX-License-Identifier: Apache-2.0

#include "support/fault_proxy.h"

#include <gtest/gtest.h>

#include "support/eventually.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class FaultProxyTest : public testing::Test {
 protected:
  static std::vector<std::string> add() {
    return {"EVAL", "return redis.call('INCR', 'n')", "0"};
  }
  std::string number() const { return server_.command({"GET", "n"}); }

  RedisServer server_;
  FaultProxy line_{server_.port()};
};

TEST_F(FaultProxyTest, Passes) {
  RedisSocket redis(line_.port());
  EXPECT_EQ(redis.call({"PING"}).spelt(), "PONG");
  EXPECT_EQ(redis.call(add()).number(), 1);
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(redis.call({"ECHO", large}).text, large);
  EXPECT_EQ(line_.passed().at("EVAL"), 1);
}

TEST_F(FaultProxyTest, LosesReplies) {
  RedisSocket redis(line_.port());
  line_.lose_replies(1, 1);
  EXPECT_EQ(redis.call(add()).number(), 1);
  EXPECT_EQ(redis.call({"PING"}).spelt(), "PONG");
  EXPECT_THROW(redis.call(add()), std::runtime_error);
  EXPECT_EQ(number(), "2");
  EXPECT_EQ(RedisSocket(line_.port()).call(add()).number(), 3);
}

TEST_F(FaultProxyTest, LosesRequests) {
  RedisSocket redis(line_.port());
  line_.lose_requests(1);
  EXPECT_THROW(redis.call(add()), std::runtime_error);
  EXPECT_EQ(number(), "nil");
  EXPECT_EQ(RedisSocket(line_.port()).call(add()).number(), 1);
}

TEST_F(FaultProxyTest, FreezesAtACall) {
  {
    RedisSocket redis(line_.port());
    line_.freeze_at_call(1);
    EXPECT_EQ(redis.call(add()).number(), 1);
    EXPECT_FALSE(line_.froze_at_call());
    redis.send(spell_request(add()));
    EXPECT_TRUE(eventually([&] { return line_.froze_at_call(); }));
    EXPECT_EQ(RedisSocket(line_.port()).call({"PING"}).spelt(), "PONG");
    EXPECT_EQ(number(), "1");
  }
  line_.thaw();
  EXPECT_TRUE(eventually([&] { return number() == "2"; })) << "it arrives late";
}

TEST_F(FaultProxyTest, ACallThatEndsInNoScriptIsNone) {
  RedisSocket redis(line_.port());
  line_.lose_replies(1);
  const Resp reply = redis.call({"EVALSHA", std::string(40, '0'), "0"});
  EXPECT_TRUE(reply.text.starts_with("NOSCRIPT"));
  EXPECT_THROW(redis.call(add()), std::runtime_error);
}

TEST_F(FaultProxyTest, LetsNoConnectionIn) {
  RedisSocket before(line_.port());
  line_.unreachable(true);
  EXPECT_THROW(before.call({"PING"}), std::runtime_error);
  EXPECT_THROW(RedisSocket(line_.port()), std::system_error);
  line_.unreachable(false);
  EXPECT_EQ(RedisSocket(line_.port()).call({"PING"}).spelt(), "PONG");
}

TEST_F(FaultProxyTest, AFrozenRequestArrivesLate) {
  {
    RedisSocket old(line_.port());
    ASSERT_EQ(old.call({"PING"}).spelt(), "PONG");
    line_.freeze_present();
    old.send(spell_request(add()));
    EXPECT_THROW(old.read(50ms), std::runtime_error);
  }
  RedisSocket young(line_.port());
  EXPECT_EQ(young.call({"SET", "n", "10"}).spelt(), "OK");
  line_.thaw();
  line_.freeze();
  young.send(spell_request({"PING"}));
  EXPECT_THROW(young.read(50ms), std::runtime_error);
  line_.thaw();
  EXPECT_EQ(young.read().spelt(), "PONG");
  EXPECT_EQ(number(), "11");
}

TEST_F(FaultProxyTest, Delays) {
  RedisSocket redis(line_.port());
  line_.delay(100ms);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(redis.call({"PING"}).spelt(), "PONG");
  EXPECT_GE(std::chrono::steady_clock::now() - start, 100ms);
}

TEST_F(FaultProxyTest, PassesMessages) {
  RedisSocket subscriber(line_.port());
  EXPECT_EQ(subscriber.call({"SUBSCRIBE", "a"}).spelt(), "subscribe a 1");
  EXPECT_EQ(server_.command({"PUBLISH", "a", "0"}), "1");
  EXPECT_EQ(subscriber.read().spelt(), "message a 0");
  EXPECT_EQ(server_.command({"PUBLISH", "a", "1"}), "1");
  EXPECT_EQ(subscriber.read().spelt(), "message a 1");
  line_.cut_all();
  EXPECT_THROW(subscriber.read(), std::runtime_error);
}

}  // namespace
}  // namespace holdfast::test

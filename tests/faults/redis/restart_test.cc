// SPDX-License-Identifier: Apache-2.0

// A server that dies, forgets or stops for a while under holders and waiters.

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "faults/outages.h"
#include "faults/redis/ground.h"
#include "holdfast/mutex.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Restart : public testing::Test {
 protected:
  static constexpr auto kTtl = 1500ms;

  static Client open(const RedisServer& server) {
    return open_quietly(server.url(), scaled(kTtl));
  }

  static Outage standstill(RedisServer& server) {
    return {[&] { return open(server); }, scaled(kTtl), [&] { server.pause(); },
            [&] { server.resume(); }};
  }
};

TEST_F(Restart, WithoutAFileEndsTheHoldAndTokensGrow) {
  RedisServer server;
  const Client client = open(server);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  server.kill();
  server.start();
  EXPECT_TRUE(told_soon(hold));
  Mutex other(open(server), "a");
  auto next = other.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
  EXPECT_TRUE(next->release());
  EXPECT_EQ(left_behind(server), "");
}

TEST_F(Restart, LetsAWaiterInAfterwards) {
  for (const bool remembers : {false, true}) {
    RedisServer server(remembers ? DurableRedis::lines() : std::vector<std::string>{});
    const Client client = open(server);
    Mutex mutex(client, "a");
    Mutex waiter(open(server), "a");
    auto hold = mutex.acquire().value();
    auto entered = wait_for(waiter);
    ASSERT_TRUE(has_claims(server, {engine::Kind::mutex, "a"}, 2));
    server.kill();
    server.start();
    if (remembers) {
      EXPECT_EQ(entered.wait_for(scaled(kTtl)), std::future_status::timeout);
      EXPECT_TRUE(hold.valid());
      EXPECT_TRUE(hold.release());
    }
    EXPECT_GT(entered.get().token, hold.token());
    EXPECT_TRUE(remembers || told_soon(hold));
  }
}

TEST_F(Restart, TokensGrowOverEveryOne) {
  RedisServer server;
  const Client client = open(server);
  FencingToken last;
  for (int i = 0; i < 5; ++i) {
    Mutex mutex(client, "a");
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_GT(hold->token(), last);
    last = hold->token();
    EXPECT_TRUE(hold->release());
    server.kill();
    server.start();
  }
}

TEST_F(Restart, FlushAllEndsTheHoldAndTokensGrow) {
  const RedisServer server;
  const Client client = open(server);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  ASSERT_EQ(server.command({"FLUSHALL"}), "OK");
  EXPECT_TRUE(told_soon(hold));
  const auto next = Mutex(open(server), "a").acquire({.wait = Timeout::zero()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

TEST_F(Restart, AServerThatStandsStillLosesTheHoldInTime) {
  RedisServer server;
  a_long_outage_loses_the_hold_in_time(standstill(server));
}

TEST_F(Restart, AShortStandstillLosesNothing) {
  RedisServer server;
  a_hold_outlives_a_short_outage(standstill(server));
}

}  // namespace
}  // namespace holdfast::test

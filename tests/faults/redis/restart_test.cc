// A server that dies, forgets or stands still under those who hold and wait.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Restart : public testing::Test {
 protected:
  static constexpr auto kTtl = 1500ms;

  static Client open(const RedisServer& server) {
    return open_quietly(server.url(), scaled(kTtl));
  }

  static testing::AssertionResult told(const Hold& hold) {
    if (eventually([&] { return hold.lost().stop_requested(); })) {
      return hold.valid() ? testing::AssertionFailure() << "lost, and yet valid"
                          : testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "nobody said that it is lost";
  }

  static auto wait_for(Mutex& mutex) {
    return std::async(std::launch::async, [&mutex] {
      auto hold = mutex.acquire({.wait = patience()});
      return hold ? hold->token() : FencingToken{};
    });
  }

  static testing::AssertionResult one_waits(const Client& client,
                                            const std::string& name) {
    const auto resource = client.session().bind({engine::Kind::mutex, name}).value();
    const auto seen = [&] { return resource->survey(9, soon()).value().size(); };
    if (eventually([&] { return seen() == 2; })) return testing::AssertionSuccess();
    return testing::AssertionFailure() << seen() << " claims";
  }
};

std::vector<std::string> durable() { return {"appendonly yes", "appendfsync always"}; }

TEST_F(Restart, WithoutAFileEndsTheHoldAndTokensGrow) {
  RedisServer server;
  const Client client = open(server);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  server.kill();
  server.start();
  EXPECT_TRUE(told(hold));
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

TEST_F(Restart, WithAFileKeepsTheHold) {
  RedisServer server(durable());
  const Client client = open(server);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  server.kill();
  server.start();
  EXPECT_TRUE(throughout(2 * scaled(kTtl), [&] { return hold.valid(); }));
  EXPECT_FALSE(Mutex(open(server), "a").try_lock());
  EXPECT_TRUE(hold.release());
  EXPECT_GT(Mutex(client, "a").acquire().value().token(), hold.token());
}

TEST_F(Restart, LetsAWaiterInAfterwards) {
  for (const bool remembers : {false, true}) {
    RedisServer server(remembers ? durable() : std::vector<std::string>{});
    const Client client = open(server);
    Mutex mutex(client, "a");
    Mutex waiter(open(server), "a");
    auto hold = mutex.acquire().value();
    auto entered = wait_for(waiter);
    ASSERT_TRUE(one_waits(client, "a"));
    server.kill();
    server.start();
    if (remembers) {
      EXPECT_EQ(entered.wait_for(scaled(kTtl)), std::future_status::timeout);
      EXPECT_TRUE(hold.valid());
      EXPECT_TRUE(hold.release());
    }
    EXPECT_GT(entered.get(), hold.token());
    EXPECT_TRUE(remembers || told(hold));
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

TEST_F(Restart, ASaleGoesOn) {
  RedisServer server(durable());
  std::atomic<bool> done{false};
  std::atomic<int> inside{0};
  std::atomic<int> grants{0};
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, client = open(server)] {
      Mutex mutex(client, "a");
      while (!done) {
        auto hold = mutex.acquire({.wait = patience()});
        if (!hold) continue;
        EXPECT_EQ(++inside, 1);
        ++grants;
        --inside;
      }
    });
  }
  for (int i = 0; i < 3; ++i) {
    const int before = grants;
    EXPECT_TRUE(eventually([&] { return grants > before + 20; })) << "restart " << i;
    server.kill();
    server.start();
  }
  const int before = grants;
  EXPECT_TRUE(eventually([&] { return grants > before + 20; }));
  done = true;
}

TEST_F(Restart, FlushAllEndsTheHoldAndTokensGrow) {
  const RedisServer server;
  const Client client = open(server);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  ASSERT_EQ(server.command({"FLUSHALL"}), "OK");
  EXPECT_TRUE(told(hold));
  const auto next = Mutex(open(server), "a").acquire({.wait = Timeout::zero()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

TEST_F(Restart, AServerThatStandsStillLosesTheHoldInTime) {
  RedisServer server;
  const Client client = open(server);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  std::atomic<Clock::time_point> when{Clock::time_point::max()};
  const std::stop_callback on_loss(hold.lost(), [&] { when = Clock::now(); });
  server.pause();
  const auto stopped = Clock::now();
  EXPECT_TRUE(told(hold));
  EXPECT_TRUE(eventually([&] { return when.load() != Clock::time_point::max(); }));
  EXPECT_LE(when.load() - stopped, scaled(kTtl + 50ms));
  server.resume();
  const auto next = Mutex(open(server), "a").acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

TEST_F(Restart, AShortStandstillLosesNothing) {
  RedisServer server;
  const Client client = open(server);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  server.pause();
  EXPECT_TRUE(throughout(scaled(kTtl) / 3, [&] { return hold.valid(); }));
  server.resume();
  EXPECT_TRUE(throughout(2 * scaled(kTtl), [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
}

}  // namespace
}  // namespace holdfast::test

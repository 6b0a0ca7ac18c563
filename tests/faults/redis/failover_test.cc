// A replica takes over, and lacks what its master confirmed last.

#include <gtest/gtest.h>

#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RedisFailover : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(eventually([this] {
      const std::string info = replica_.command({"INFO", "replication"});
      return info.find("master_link_status:up") != std::string::npos;
    }));
  }

  // From now on the replica learns nothing. Clients go to it when the master is dead.
  void part() { ASSERT_EQ(replica_.command({"REPLICAOF", "NO", "ONE"}), "OK"); }

  RedisServer master_{{"repl-diskless-sync yes", "repl-diskless-sync-delay 0"}};
  RedisServer replica_{{"replicaof 127.0.0.1 " + std::to_string(master_.port())}};
};

TEST_F(RedisFailover, TokensGrowThoughTheLastOnesAreLost) {
  const Client before = open_quietly(master_.url());
  { const auto known = Mutex(before, "a").acquire().value(); }
  ASSERT_TRUE(eventually([this] {
    return replica_.command({"EXISTS", "redisson_lock_token:{a}"}) == "1" &&
           replica_.command({"EXISTS", "a"}) == "0";
  }));
  part();
  FencingToken last;
  for (int i = 0; i < 100; ++i) last = Mutex(before, "a").acquire().value().token();
  master_.kill();
  const Client after = open_quietly(replica_.url());
  EXPECT_GT(Mutex(after, "a").acquire().value().token(), last);
}

TEST_F(RedisFailover, AHolderWhoseLockWasLostIsToldBeforeItsLeaseIsOver) {
  const auto ttl = scaled(1s);
  const Client before = open_quietly(master_.url(), ttl);
  part();
  const auto hold = Mutex(before, "a").acquire().value();
  master_.kill();
  const auto start = Clock::now();
  // The promoted server does not know of the lock: only the token tells the two apart.
  const Client after = open_quietly(replica_.url());
  const auto next = Mutex(after, "a").acquire({.wait = Timeout::zero()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_LE(Clock::now() - start, ttl + scaled(200ms));
}

}  // namespace
}  // namespace holdfast::test

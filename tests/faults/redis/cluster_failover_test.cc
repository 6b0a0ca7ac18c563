// SPDX-License-Identifier: Apache-2.0

// A Redis Cluster whose replicas take over.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "faults/ground.h"
#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/redis_cluster.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RedisClusterFailover : public testing::Test {
 protected:
  Client open(std::chrono::milliseconds ttl = scaled(30s),
              std::string_view rest = {}) const {
    return open_quietly(cluster_.url(rest), ttl);
  }
  bool has_moved() const { return cluster_.primary_of("a") != primary_; }
  RedisServer& replica() { return cluster_[primary_ + 3]; }
  bool replica_has_hold_and_queue() {
    RedisSocket socket(replica().port());
    socket.call({"READONLY"});
    return socket.call({"EXISTS", "a", "holdfast_queue:{a}"}).number() == 2;
  }

  RedisCluster cluster_{3, 1};
  const std::size_t primary_ = cluster_.primary_of("a");
};

// The lock may have reached the replica or not. Either way the next one gets in, with a
// larger token, once the holder has released it.
TEST_F(RedisClusterFailover, AKilledPrimaryLocksNoClientOut) {
  const Client before = open();
  const Client after = open();
  auto hold = Mutex(before, "a").acquire().value();
  const auto token = hold.token();
  cluster_[primary_].kill();
  ASSERT_TRUE(eventually([&] { return has_moved(); }));
  (void)hold.release();
  const auto next = Mutex(after, "a").acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), token);
}

// The replica is stopped and cut off while the lock is taken, so it cannot have it.
TEST_F(RedisClusterFailover, AHolderWhoseLockWasLostIsTold) {
  const auto ttl = scaled(2s);
  const Client before = open(ttl);
  const Client after = open();
  { const auto known = Mutex(before, "a").acquire().value(); }
  replica().pause();
  ASSERT_EQ(cluster_[primary_].command({"CLIENT", "KILL", "TYPE", "replica"}), "1");
  const auto hold = Mutex(before, "a").acquire().value();
  cluster_[primary_].kill();
  replica().resume();
  ASSERT_TRUE(eventually([&] { return has_moved(); }));
  const auto next = Mutex(after, "a").acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
}

TEST_F(RedisClusterFailover, ALockThatAReplicaConfirmedOutlivesItsPrimary) {
  const Client before = open(scaled(30s), "?ack=1");
  const auto hold = Mutex(before, "a").acquire().value();
  cluster_[primary_].kill();
  ASSERT_TRUE(eventually([&] { return has_moved(); }));
  EXPECT_EQ(replica().command({"EXISTS", "a"}), "1");
  EXPECT_FALSE(hold.lost().stop_requested());
}

// Its connections do not break: it is only silent. When it goes on, it takes itself for
// the primary until the others have told it.
TEST_F(RedisClusterFailover, APrimaryThatStandsStillIsLeftBehind) {
  const Client holder = open();
  const Client other = open();
  auto hold = Mutex(holder, "a").acquire().value();
  Mutex mutex(other, "a");
  auto waiter = wait_for(mutex);
  ASSERT_TRUE(eventually([&] { return replica_has_hold_and_queue(); }));
  cluster_[primary_].pause();
  ASSERT_TRUE(eventually([&] { return has_moved(); }));
  EXPECT_FALSE(hold.lost().stop_requested());
  const auto released = persist([&](engine::Deadline) { return hold.release(); });
  EXPECT_TRUE(released) << released.error().message();
  const Entered entered = waiter.get();
  EXPECT_EQ(entered.why_not, "");
  EXPECT_GT(entered.token, hold.token());
  const auto next = Mutex(other, "a").acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  cluster_[primary_].resume();
  EXPECT_FALSE(Mutex(holder, "a").acquire({.wait = Timeout::zero()}));
  EXPECT_TRUE(next->valid());
}

TEST(RedisClusterOnDisk, AServerThatComesBackAtAnotherAddressIsFound) {
  RedisCluster cluster(3, 0, {"appendonly yes", "appendfsync always"});
  const Client holder = open_quietly(cluster.url());
  const Client other = open_quietly(cluster.url());
  auto hold = Mutex(holder, "a").acquire().value();
  Mutex mutex(other, "a");
  auto waiter = wait_for(mutex);
  ASSERT_TRUE(still_waits(waiter));
  RedisServer& server = cluster[cluster.primary_of("a")];
  server.stop();
  server.start_elsewhere();
  cluster.expect_whole();
  EXPECT_TRUE(still_waits(waiter));
  EXPECT_FALSE(hold.lost().stop_requested());
  const auto released = persist([&](engine::Deadline) { return hold.release(); });
  EXPECT_TRUE(released) << released.error().message();
  EXPECT_EQ(waiter.get().why_not, "");
}

class RedisClusterSwitch : public RedisClusterFailover,
                           public testing::WithParamInterface<const char*> {};

// The waiter's subscription follows the slot to the new primary.
TEST_P(RedisClusterSwitch, KeepsTheHoldAndWakesTheWaiter) {
  const Client before = open();
  const Client after = open();
  auto hold = Mutex(before, "a").acquire().value();
  std::thread waiter([&] {
    const auto next = Mutex(after, "a").acquire({.wait = patience()});
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_GT(next->token(), FencingToken{0});
  });
  EXPECT_TRUE(eventually([&] { return replica_has_hold_and_queue(); }));
  // A failover that is not done within five seconds, on a busy machine, is given up by
  // the replica and has to be asked for again.
  const std::string mode = GetParam();
  Clock::time_point asked{};
  // What the old primary confirms before it has heard of the new one is lost.
  EXPECT_TRUE(eventually([&] {
    if (!has_moved() && Clock::now() - asked > 6s) {
      (void)(mode.empty() ? replica().command({"CLUSTER", "FAILOVER"})
                          : replica().command({"CLUSTER", "FAILOVER", mode}));
      asked = Clock::now();
    }
    return has_moved() && cluster_[primary_].command({"ROLE"}).starts_with("slave");
  }));
  EXPECT_FALSE(hold.lost().stop_requested());
  EXPECT_TRUE(eventually([&] {
    return !RedisSocket(replica().port())
                .call({"PUBSUB", "SHARDCHANNELS", "holdfast_bell:*"})
                .items.empty();
  }));
  const auto released = hold.release();
  EXPECT_TRUE(released) << released.error().message();
  waiter.join();
}

INSTANTIATE_TEST_SUITE_P(Failover, RedisClusterSwitch,
                         testing::Values("", "FORCE", "TAKEOVER"),
                         [](const auto& each) {
                           const std::string mode = each.param;
                           return mode.empty() ? "ORDERLY" : mode;
                         });

}  // namespace
}  // namespace holdfast::test

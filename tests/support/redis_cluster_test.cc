// SPDX-License-Identifier: Apache-2.0

#include "support/redis_cluster.h"

#include <gtest/gtest.h>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

TEST(RedisCluster, SharesTheSlots) {
  const RedisCluster cluster;
  EXPECT_EQ(cluster.slot_of("foo"), 12182);
  EXPECT_EQ(cluster.primary_of("foo"), 2);
  EXPECT_EQ(cluster[2].command({"SET", "foo", "1"}), "OK");
  EXPECT_EQ(cluster[0].command({"GET", "foo"}),
            "MOVED 12182 127.0.0.1:" + std::to_string(cluster[2].port()));
}

TEST(RedisCluster, MovesASlotWithItsKeys) {
  RedisCluster cluster;
  cluster[2].command({"SET", "foo", "1"});
  cluster[2].command({"SET", "{foo}b", "2"});
  cluster.move_slot(12182, 1);
  EXPECT_EQ(cluster.primary_of("foo"), 1);
  EXPECT_EQ(cluster[1].command({"GET", "foo"}), "1");
  EXPECT_EQ(cluster[1].command({"GET", "{foo}b"}), "2");
  EXPECT_TRUE(cluster[2].command({"GET", "foo"}).starts_with("MOVED "));
}

TEST(RedisCluster, AReplicaTakesOverForItsPrimary) {
  RedisCluster cluster(3, 1);
  RedisSocket socket(cluster[2].port());  // WAIT is about its own connection.
  socket.call({"SET", "foo", "1"});
  ASSERT_EQ(socket.call({"WAIT", "1", "5000"}).number(), 1);
  cluster[2].kill();
  EXPECT_TRUE(eventually([&] { return cluster[5].command({"GET", "foo"}) == "1"; }));
  EXPECT_TRUE(eventually([&] { return cluster.primary_of("foo") == 5; }));
}

TEST(RedisCluster, AServerComesBackAtAnotherAddress) {
  RedisCluster cluster(3, 0, {"appendonly yes"});
  cluster[2].command({"SET", "foo", "1"});
  cluster[2].stop();
  cluster[2].start_elsewhere();
  cluster.expect_whole();
  const std::string moved =
      "MOVED 12182 127.0.0.1:" + std::to_string(cluster[2].port());
  EXPECT_TRUE(eventually([&] { return cluster[0].command({"GET", "foo"}) == moved; }));
  EXPECT_EQ(cluster[2].command({"GET", "foo"}), "1");
}

}  // namespace
}  // namespace holdfast::test

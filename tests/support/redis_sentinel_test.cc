// SPDX-License-Identifier: Apache-2.0

#include "support/redis_sentinel.h"

#include <gtest/gtest.h>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

TEST(RedisSentinel, OrdersAFailover) {
  RedisSentinel group;
  ASSERT_EQ(group.primary(), 0U);
  EXPECT_NE(group.fail_over(), 0U);
  group.expect_whole();
  // On a busy machine, the sentinels may have taken the new primary for dead, too.
  const std::size_t now = group.primary();
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::string said = group[i].command({"SET", "a", "1"});
    EXPECT_EQ(said.substr(0, said.find(' ')), i == now ? "OK" : "READONLY");
  }
}

TEST(RedisSentinel, AReplicaTakesOverForADeadPrimary) {
  RedisSentinel group;
  group[0].command({"SET", "a", "1"});
  for (std::size_t i = 1; i < group.size(); ++i) {
    ASSERT_TRUE(eventually([&] { return group[i].command({"EXISTS", "a"}) == "1"; }));
  }
  group[0].kill();
  const std::size_t next = group.expect_another_primary(0);
  EXPECT_EQ(group[next].command({"EXISTS", "a"}), "1");
  group[0].start();
  group.expect_whole();
  EXPECT_TRUE(group[0].command({"SET", "a", "1"}).starts_with("READONLY "));
}

TEST(RedisSentinel, APrimaryThatIsCutOffGoesOn) {
  RedisSentinel group;
  group.cut_off(0);
  const std::size_t next = group.expect_another_primary(0);
  EXPECT_EQ(group[0].command({"SET", "a", "old"}), "OK");
  EXPECT_EQ(group[next].command({"SET", "a", "new"}), "OK");
  group.reconnect(0);
  group.expect_whole();
  EXPECT_EQ(group[0].command({"GET", "a"}), "new");
}

}  // namespace
}  // namespace holdfast::test

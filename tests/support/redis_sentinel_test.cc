// SPDX-License-Identifier: Apache-2.0

#include "support/redis_sentinel.h"

#include <gtest/gtest.h>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

TEST(RedisSentinel, OrdersAFailover) {
  RedisSentinel group;
  ASSERT_EQ(group.primary(), 0U);
  const std::size_t next = group.fail_over();
  EXPECT_NE(next, 0U);
  group.expect_whole();
  EXPECT_EQ(group[next].command({"SET", "a", "1"}), "OK");
  EXPECT_TRUE(group[0].command({"SET", "a", "1"}).starts_with("READONLY "));
}

TEST(RedisSentinel, AReplicaTakesOverForADeadPrimary) {
  RedisSentinel group;
  group[0].command({"SET", "a", "1"});
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

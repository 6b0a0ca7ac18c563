// SPDX-License-Identifier: Apache-2.0

// Processes that are killed while they hold or wait.

#include "faults/kill_storm.h"

#include <gtest/gtest.h>

#include "faults/zookeeper/ground.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using ZookeeperKills = OnZookeeper;

TEST_F(ZookeeperKills, KilledProcessesLoseNothing) {
  const auto ttl = scaled(3s);  // longer than the pauses of a busy Java machine
  killed_processes_lose_nothing(
      "zookeeper://127.0.0.1:" + std::to_string(port_) + root_, ttl);
  EXPECT_TRUE(has_nodes("a", 0));
}

}  // namespace
}  // namespace holdfast::test

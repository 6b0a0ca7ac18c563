// SPDX-License-Identifier: Apache-2.0

// Processes that are killed while they hold or wait.

#include "faults/kill_storm.h"

#include <gtest/gtest.h>

#include "faults/etcd/ground.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using EtcdKills = OnEtcd;

TEST_F(EtcdKills, KilledProcessesLoseNothing) {
  const auto ttl = scaled(2s);
  killed_processes_lose_nothing(server_.url(kPrefix), ttl);
  EXPECT_TRUE(has_keys("a", 0));
}

}  // namespace
}  // namespace holdfast::test

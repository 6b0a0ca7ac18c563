// SPDX-License-Identifier: Apache-2.0

// Processes are killed while they hold or wait, and connections are cut.

#include "faults/kill_storm.h"

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using MysqlKills = OnMysql;

TEST_F(MysqlKills, KilledProcessesLoseNothingWithoutBells) {
  killed_processes_lose_nothing(direct_url() + "?mode=rows", scaled(2s));
  EXPECT_TRUE(has_claims({engine::Kind::mutex, "a"}, 0));
}

TEST_F(MysqlKills, KilledConnectionsLoseNothing) {
  const Sale sale([this] { return open_directly(short_); });
  for (int i = 0; i < 20; ++i) {
    kill(sessions(true));
    kill(sessions(false));
    EXPECT_TRUE(sale.goes_on()) << "round " << i;
  }
}

}  // namespace
}  // namespace holdfast::test

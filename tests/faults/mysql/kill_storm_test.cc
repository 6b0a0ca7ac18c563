// SPDX-License-Identifier: Apache-2.0

// Processes are killed while they hold or wait, and connections are cut.

#include "faults/kill_storm.h"

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlKills : public OnMysql {
 protected:
  void survives(const std::string& query) {
    killed_processes_lose_nothing(server_.url("/locks" + query), scaled(2s));
    EXPECT_TRUE(has_claims({engine::Kind::mutex, "a"}, 0));
  }
};

TEST_F(MysqlKills, KilledProcessesLoseNothing) { survives(""); }

TEST_F(MysqlKills, KilledProcessesLoseNothingWithoutBells) { survives("?mode=rows"); }

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

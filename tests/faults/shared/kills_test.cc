// SPDX-License-Identifier: Apache-2.0

// Processes are killed while they hold or wait.

#include "faults/ground.h"
#include "faults/kill_storm.h"
#include "faults/shared/rows.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using Kills = OnRow;

TEST_P(Kills, KilledProcessesLoseNothing) {
  killed_processes_lose_nothing(ground_->direct_url(), GetParam().ttl_of_killed);
  EXPECT_TRUE(bad_line_.has_claims({engine::Kind::mutex, "a"}, 0));
  Mutex mutex(bad_line_.open_directly(scaled(30s)), "a");
  EXPECT_TRUE(mutex.acquire({.wait = patience()})) << "the lock is stuck";
}

INSTANTIATE_TEST_SUITE_P(, Kills, testing::ValuesIn(rows()), name_of);

}  // namespace
}  // namespace holdfast::test

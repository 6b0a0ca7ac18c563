// SPDX-License-Identifier: Apache-2.0

// Several processes want the same lock, and no change of theirs is lost.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "faults/quorum/ground.h"
#include "holdfast/mutex.h"
#include "support/temp_dir.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// Returns the number in the file after each process has added one `times` times.
long counted_by_three(
    const std::string& url, int times, const std::function<void()>& meanwhile = [] {}) {
  const TempDir dir;
  const std::string file = dir.file("number");
  std::vector<std::unique_ptr<Victim>> victims;
  for (int i = 0; i < 3; ++i) victims.push_back(std::make_unique<Victim>(url));
  for (const auto& each : victims) {
    each->tell("count " + file + " " + std::to_string(times) + " a");
  }
  meanwhile();
  for (const auto& each : victims) EXPECT_EQ(each->answer(3 * patience()), "ok");
  long number = 0;
  std::ifstream(file) >> number;
  return number;
}

class QuorumContention : public Five {};

TEST_F(QuorumContention, LosesNothing) { EXPECT_EQ(counted_by_three(url(), 100), 300); }

TEST_F(QuorumContention, LosesNothingWithTwoNodesDead) {
  servers_[0].kill();
  servers_[1].kill();
  EXPECT_EQ(counted_by_three(url(), 100), 300);
}

TEST_F(QuorumContention, LosesNothingWhileTwoNodesDie) {
  EXPECT_EQ(counted_by_three(url(), 100,
                             [this] {
                               servers_[2].kill();
                               servers_[3].pause();
                             }),
            300);
  servers_[3].resume();
}

// The nodes can be of any engine. Their claims have leases then, too.
TEST(QuorumOfLocal, LosesNothing) {
  const TempDir dir;
  const auto node = [&](const char* name) { return "local://" + dir.file(name); };
  const std::string url = "quorum:" + node("a") + "," + node("b") + "," + node("c");
  if (!Client::open(url)) {
    GTEST_SKIP() << "this build does not have the local engine";
  }
  EXPECT_EQ(counted_by_three(url, 300), 900);

  const auto ttl = scaled(300ms);
  Mutex mutex(open_quietly(url, ttl), "b");
  auto hold = mutex.acquire().value();
  EXPECT_LE(hold.valid_for(), ttl);
  EXPECT_FALSE(Mutex(open_quietly(url, ttl), "b").try_lock());
  EXPECT_TRUE(hold.release());
}

TEST_F(QuorumContention, DoesNotMixUpRenewals) { expect_renewals_side_by_side(open()); }

}  // namespace
}  // namespace holdfast::test

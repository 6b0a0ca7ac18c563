// SPDX-License-Identifier: Apache-2.0

// A sweep removes what is left of names and clients that are not used any more.

#include <gtest/gtest.h>

#include "conformance/claim_lock.h"
#include "faults/mysql/ground.h"
#include "holdfast/counter.h"
#include "holdfast/fair_mutex.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlSweep : public OnMysql {
 protected:
  std::uint64_t sweep(std::chrono::seconds unused_for) {
    return open_directly().session().sweep(unused_for, soon()).value();
  }
  long count(const std::string& what) {
    return shell_.number("SELECT COUNT(*) FROM locks.holdfast_" + what);
  }
};

TEST_F(MysqlSweep, LeavesWhatIsHeldOrWaitedFor) {
  Mutex mutex(open(), "a");
  FairMutex fair(open(), "b");
  Counter counter(open(), "c");
  auto hold = mutex.acquire().value();
  auto fair_hold = fair.acquire().value();
  ASSERT_TRUE(counter.add(1));
  shell_.run(
      "UPDATE locks.holdfast_resource SET used_at = used_at - INTERVAL 8 DAY, "
      "since = since - INTERVAL 8 DAY");
  EXPECT_EQ(sweep(0s), 0U);
  EXPECT_EQ(count("resource"), 3);
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(fair_hold.release());
  EXPECT_EQ(sweep(24h * 7), 2U);
  EXPECT_EQ(column("value", "c"), "1");
}

TEST_F(MysqlSweep, LeavesWhatWasTakenLately) {
  Mutex mutex(open(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  set("used_at = used_at - INTERVAL 8 DAY", "a");
  EXPECT_EQ(sweep(24h * 7), 0U) << "the row was made long ago, but is in use";
  EXPECT_EQ(count("resource"), 1);
}

TEST_F(MysqlSweep, LeavesTheMarksOfAClientThatIsThere) {
  Counter counter(open(), "a");
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(counter.add(1));
  const long marks = count("mark");
  ASSERT_GT(marks, 1);
  shell_.run(
      "UPDATE locks.holdfast_mark SET used_at = used_at - INTERVAL 8 DAY LIMIT 1");
  sweep(24h * 7);
  EXPECT_EQ(count("mark"), marks - 1);
}

TEST_F(MysqlSweep, RemovesTheClaimsOfDeadClients) {
  FairMutex fair(open(), "a");
  { const auto hold = fair.acquire().value(); }
  shell_.run(
      "SET sql_mode = ''; INSERT INTO locks.holdfast_claim (resource, owner, mode, "
      "permits, granted, since, expires_at) SELECT id, 'another', 'exclusive', 1, "
      "TRUE, '2020-01-01', '2020-01-01' FROM locks.holdfast_resource");
  EXPECT_EQ(sweep(24h * 7), 0U);
  EXPECT_EQ(count("claim"), 0);
}

}  // namespace
}  // namespace holdfast::test

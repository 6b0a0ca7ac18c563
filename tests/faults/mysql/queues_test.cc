// SPDX-License-Identifier: Apache-2.0

// Other programs change the rows of a queue.

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "faults/mysql/ground.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

class MysqlQueues : public OnMysql {
 protected:
  // Columns that are not given are empty.
  void change(const std::string& statement) {
    shell_.run("USE locks; SET sql_mode = ''; " + statement);
  }
  static bool waits(const std::future<bool>& entered) {
    return entered.wait_for(scaled(300ms)) == std::future_status::timeout;
  }
};

TEST_F(MysqlQueues, ADeletedHolderIsLostAndTheNextIsIn) {
  FairMutex holder(open(short_), "a");
  FairMutex waiter(open_directly(), "a");
  const auto hold = holder.acquire().value();
  auto entered = enter(waiter);
  ASSERT_TRUE(has_claims({Kind::fair_mutex, "a"}, 2));
  change("DELETE FROM holdfast_claim WHERE granted");
  EXPECT_TRUE(entered.get());
  EXPECT_TRUE(told_soon(hold));
}

// The server ends an idle connection, and with it the bell, only after the ttl.
TEST_F(MysqlQueues, ADeletedHolderReleasesItsBell) {
  FairMutex holder(open(), "a");
  const auto hold = holder.acquire().value();
  const std::string bell =
      "'hf:" + shell_.value("SELECT owner FROM locks.holdfast_claim") + "'";
  ASSERT_EQ(shell_.value("SELECT IS_FREE_LOCK(" + bell + ")"), "0");
  change("DELETE FROM holdfast_claim WHERE granted");
  EXPECT_TRUE(told_soon(hold));
  EXPECT_TRUE(eventually(
      [&] { return shell_.value("SELECT IS_FREE_LOCK(" + bell + ")") == "1"; }));
}

TEST_F(MysqlQueues, ADeletedWaiterQueuesAgain) {
  FairMutex holder(open_directly(), "a");
  FairMutex waiter(open(), "a");
  auto hold = holder.acquire().value();
  auto entered = enter(waiter);
  ASSERT_TRUE(has_claims({Kind::fair_mutex, "a"}, 2));
  change("DELETE FROM holdfast_claim WHERE NOT granted");
  EXPECT_TRUE(waits(entered));
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(entered.get());
}

// A new epoch of the row begins when a claim is given up in doubt.
TEST_F(MysqlQueues, AClaimThatDoesNotKnowOfANewEpochStillHasABell) {
  FairMutex mutex(open(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  set("epoch = epoch + 1", "a");
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_EQ(shell_.number("SELECT bell FROM locks.holdfast_claim"), 1);
}

TEST_F(MysqlQueues, ARowIsKeptForAsLongAsItsClaimWaits) {
  FairMutex holder(open_directly(), "a");
  FairMutex waiter(open(), "a");
  auto hold = holder.acquire().value();
  auto entered = enter(waiter);
  ASSERT_TRUE(has_claims({Kind::fair_mutex, "a"}, 2));
  change(
      "UPDATE holdfast_claim SET expires_at = UTC_TIMESTAMP(6) + INTERVAL 8 SECOND "
      "WHERE NOT granted");
  const long id =
      shell_.number("SELECT id FROM locks.holdfast_claim WHERE NOT granted");
  EXPECT_TRUE(eventually([&] {
    return shell_.number(
               "SELECT COALESCE(MAX(id), 0) FROM locks.holdfast_claim WHERE NOT "
               "granted AND expires_at > UTC_TIMESTAMP(6) + INTERVAL 9 SECOND") == id;
  })) << "no waiter has written its row again";
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(entered.get());
}

TEST_F(MysqlQueues, AClaimOfAnotherProgramIsWaitedForUntilItsTimeIsOver) {
  FairMutex mutex(open(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  const auto start = Clock::now();
  change(
      "INSERT INTO holdfast_claim (resource, owner, mode, permits, granted, bell, "
      "since, expires_at) SELECT id, 'another', 'exclusive', 1, TRUE, TRUE, "
      "UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 2 SECOND FROM holdfast_resource");
  EXPECT_TRUE(mutex.try_lock_for(patience()));
  EXPECT_GE(Clock::now() - start, 2s);
  EXPECT_LE(Clock::now() - start, scaled(6s));
}

TEST_F(MysqlQueues, RowsOfNoClientDisturbNoClaim) {
  change(
      "INSERT INTO holdfast_claim (resource, owner, mode, permits, granted, bell, "
      "since, expires_at) VALUES (0, '', 'shared', 0, TRUE, FALSE, '0001-01-01', "
      "'9999-12-31'), (99, X'FF', 'exclusive', 4294967295, FALSE, TRUE, '0001-01-01', "
      "'9999-12-31')");
  EXPECT_TRUE(FairMutex(open(), "a").try_lock());
  EXPECT_TRUE(SharedMutex(open(), "b").try_lock_shared());
}

TEST_F(MysqlQueues, ASemaphoreIsNotExceededByOddClaims) {
  const Client client = open();
  Semaphore semaphore(client, "s", 2);
  ASSERT_TRUE(semaphore.acquire({.wait = Timeout::zero()}));
  change(
      "INSERT INTO holdfast_claim (resource, owner, mode, permits, granted, bell, "
      "since, expires_at) SELECT id, 'another', 'shared', 4294967295, TRUE, FALSE, "
      "UTC_TIMESTAMP(6), '9999-12-31' FROM holdfast_resource");
  EXPECT_FALSE(semaphore.acquire({.wait = Timeout::zero()}));
  change("DELETE FROM holdfast_claim");
  EXPECT_TRUE(semaphore.acquire({.wait = patience()}));
}

TEST_F(MysqlQueues, KilledConnectionsLoseNoClaim) {
  FairMutex holder(open(short_), "a");
  FairMutex first(open(short_), "a");
  FairMutex second(open_directly(short_), "a");
  auto hold = holder.acquire().value();
  auto one = enter(first);
  ASSERT_TRUE(has_claims({Kind::fair_mutex, "a"}, 2));
  auto two = enter(second);
  ASSERT_TRUE(has_claims({Kind::fair_mutex, "a"}, 3));
  for (int i = 0; i < 3; ++i) {
    kill(sessions(true));
    kill(sessions(false));
    EXPECT_TRUE(waits(one));
  }
  EXPECT_TRUE(waits(two));
  EXPECT_TRUE(hold.valid());
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(one.get());
  EXPECT_TRUE(two.get());
}

TEST_F(MysqlQueues, AWaiterWhoseBellIsCutKeepsItsTurn) {
  FairMutex holder(open_directly(), "a");
  auto hold = holder.acquire().value();
  std::vector<std::unique_ptr<FairMutex>> waiters;
  std::vector<std::future<Hold>> entered;
  for (std::size_t i = 0; i < 3; ++i) {
    waiters.push_back(std::make_unique<FairMutex>(open_directly(), "a"));
    entered.push_back(std::async(std::launch::async, [&waiter = *waiters.back()] {
      return waiter.acquire({.wait = 2 * patience()}).value();
    }));
    ASSERT_TRUE(has_claims({Kind::fair_mutex, "a"}, i + 2));
  }
  ASSERT_TRUE(has_waiters(3));
  const std::string first =
      "(SELECT MIN(id) FROM locks.holdfast_claim WHERE NOT granted)";
  const std::string id = std::to_string(shell_.number("SELECT " + first));
  const long bell = shell_.number(
      "SELECT IS_USED_LOCK(CONCAT('hf:', owner)) FROM locks.holdfast_claim WHERE id "
      "= " +
      id);
  shell_.run("KILL CONNECTION " + std::to_string(bell));
  // The waiter behind it is woken by the bell. The waiter itself lives, and writes its
  // row again soon.
  const auto left_after = [&](int seconds) {
    return shell_.number("SELECT COUNT(*) FROM locks.holdfast_claim WHERE id = " + id +
                         " AND expires_at > UTC_TIMESTAMP(6) + INTERVAL " +
                         std::to_string(seconds) + " SECOND");
  };
  EXPECT_TRUE(eventually([&] { return left_after(7) == 0; }))
      << "the bell has woken no waiter";
  EXPECT_TRUE(eventually([&] { return left_after(8) == 1; }))
      << "the waiter has lost its turn";
  EXPECT_TRUE(hold.release());
  FencingToken before;
  for (auto& each : entered) {
    Hold next = each.get();
    EXPECT_GT(next.token(), before) << "the grants are not in the order of arrival";
    before = next.token();
    EXPECT_TRUE(next.release());
  }
}

TEST_F(MysqlQueues, ARestartLosesNoClaim) {
  const auto ttl = scaled(4s);
  FairMutex holder(open_directly(ttl), "a");
  FairMutex waiter(open_directly(ttl), "a");
  auto hold = holder.acquire().value();
  auto entered = enter(waiter);
  ASSERT_TRUE(has_claims({Kind::fair_mutex, "a"}, 2));
  server_.kill();
  server_.start();
  EXPECT_TRUE(throughout(ttl, [&] { return hold.valid(); }));
  EXPECT_TRUE(waits(entered));
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(entered.get());
  EXPECT_TRUE(has_claims({Kind::fair_mutex, "a"}, 0));
}

}  // namespace
}  // namespace holdfast::test

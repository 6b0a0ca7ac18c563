// SPDX-License-Identifier: Apache-2.0

// A grant is written after the queue that it was decided on has changed.

#include <gtest/gtest.h>

#include <future>
#include <system_error>

#include "conformance/claim_lock.h"
#include "faults/mysql/ground.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/semaphore.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

// The first waiter has read that its turn has come and cannot write that yet, because
// the row is locked. Meanwhile the queue changes.
class MysqlLateGrants : public OnMysql {
 protected:
  void lock_rows() {
    other_.run("BEGIN; SELECT * FROM locks.holdfast_resource FOR UPDATE");
  }
  // Returns whether the grant, and nothing else, waits for the row.
  bool is_in_the_way() {
    return eventually(
        [&] { return shell_.figure("Innodb_row_lock_current_waits") == 1; });
  }
  void change_and_unlock(const std::string& assignments) {
    other_.run("UPDATE locks.holdfast_resource SET " + assignments + "; COMMIT");
  }

  MysqlShell other_ = server_.shell();
  // Reads the queue without locks.
  const Client silent_ = open_quietly(server_.url("/locks?mode=rows"));
};

TEST_F(MysqlLateGrants, HaveNoEffectIfAnotherClaimWasGranted) {
  FairMutex holder(silent_, "f");
  FairMutex next(silent_, "f");
  auto hold = holder.acquire().value();
  auto entered = enter(next);
  ASSERT_TRUE(has_claims({Kind::fair_mutex, "f"}, 2));
  lock_rows();
  EXPECT_TRUE(hold.release());
  ASSERT_TRUE(is_in_the_way());
  other_.run(
      "SET sql_mode = ''; INSERT INTO locks.holdfast_claim (resource, owner, mode, "
      "permits, granted, since, expires_at) SELECT id, 'another', 'exclusive', 1, "
      "TRUE, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 1 HOUR FROM "
      "locks.holdfast_resource WHERE name = 'f'");
  change_and_unlock("fence = fence + 1");
  EXPECT_EQ(entered.wait_for(scaled(500ms)), std::future_status::timeout)
      << "two claims are granted";
  shell_.run("DELETE FROM locks.holdfast_claim WHERE owner = 'another'");
  EXPECT_TRUE(entered.get());
}

TEST_F(MysqlLateGrants, ANameThatIsInUseMeanwhileIsNotAdapted) {
  { FairMutex(silent_, "f").acquire().value(); }
  lock_rows();
  Semaphore semaphore(silent_, "f", 1);
  auto entered = std::async(std::launch::async, [&] {
    const auto hold = semaphore.acquire({.wait = patience()});
    return hold ? std::error_code{} : hold.error().code;
  });
  ASSERT_TRUE(is_in_the_way());
  change_and_unlock("expires_at = '9999-12-31' WHERE name = 'f'");
  EXPECT_EQ(entered.get(), Errc::wrong_kind);
}

TEST_F(MysqlLateGrants, AreNoneIfThereAreFewerPermits) {
  Semaphore first(silent_, "s", 2);
  Semaphore second(silent_, "s", 2);
  Semaphore third(silent_, "s", 2);
  auto stays = first.acquire().value();
  auto leaves = second.acquire().value();
  auto entered = enter(third);
  ASSERT_TRUE(has_claims({Kind::semaphore, "s"}, 3));
  lock_rows();
  EXPECT_TRUE(leaves.release());
  ASSERT_TRUE(is_in_the_way());
  change_and_unlock("value = 1, version = version + 1 WHERE name = 's'");
  EXPECT_EQ(entered.wait_for(scaled(500ms)), std::future_status::timeout)
      << "two claims are granted, and there is one permit";
  EXPECT_TRUE(stays.release());
  EXPECT_TRUE(entered.get());
}

// The connection has ended, but its statement still waits for the row.
TEST_F(MysqlLateGrants, AChangeIsNotMadeAgainBeforeItArrives) {
  const auto number = silent_.session().bind({Kind::counter, "n"}).value();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(number->add(1, next_ticket(), soon()));
  lock_rows();
  const engine::Ticket ticket = next_ticket();
  ASSERT_FALSE(number->add(1, ticket, Clock::now() + scaled(200ms)));
  ASSERT_TRUE(is_in_the_way());
  auto again =
      std::async(std::launch::async, [&] { return number->add(1, ticket, soon()); });
  ASSERT_TRUE(
      eventually([&] { return shell_.figure("Innodb_row_lock_current_waits") == 2; }));
  other_.run("COMMIT");
  const auto added = again.get();
  ASSERT_TRUE(added) << added.error().message();
  EXPECT_EQ(number->load(soon()).value().number, 6);
}

}  // namespace
}  // namespace holdfast::test

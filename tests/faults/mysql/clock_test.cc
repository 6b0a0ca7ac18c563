// SPDX-License-Identifier: Apache-2.0

// The clock of the server is set while leases run.

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"
#include "support/eventually.h"
#include "support/server_clock.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlClock : public OnMysql {
 protected:
  MysqlClock() : OnMysql({}, ServerClock::environment(kFolder.file("clock"))) {}

  static inline const TempDir kFolder;
  ServerClock clock_{kFolder.file("clock")};
};

TEST_F(MysqlClock, IsSet) {
  const auto now = [&] { return shell_.number("SELECT UNIX_TIMESTAMP()"); };
  const long before = now();
  clock_.step(1h);
  EXPECT_NEAR(static_cast<double>(now() - before), 3600, 60);
  clock_.step(-2h);
  EXPECT_NEAR(static_cast<double>(now() - before), -3600, 60);
}

// The server thinks that the lease is over, and the holder learns of it in time.
TEST_F(MysqlClock, AStepForwardMayEndALeaseAndTheTokenTells) {
  Mutex ours(open_directly(short_), "a");
  const auto hold = ours.acquire().value();
  clock_.step(1h);
  Mutex others(open_directly(), "a");
  const auto next = others.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
  EXPECT_TRUE(told_soon(hold));
}

TEST_F(MysqlClock, AStepForwardLosesNothingThatNoOtherClientWants) {
  Mutex mutex(open_directly(short_), "a");
  auto hold = mutex.acquire().value();
  clock_.step(1h);
  EXPECT_TRUE(throughout(2 * short_, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
}

TEST_F(MysqlClock, AStepBackKeepsTheHold) {
  Mutex mutex(open_directly(short_), "a");
  auto hold = mutex.acquire().value();
  clock_.step(-1h);
  EXPECT_FALSE(Mutex(open_directly(), "a").try_lock());
  EXPECT_TRUE(throughout(2 * short_, [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(Mutex(open_directly(), "a").try_lock());
}

TEST_F(MysqlClock, TokensGrowOverAStepBack) {
  const Client client = open_directly();
  FencingToken last;
  for (int i = 0; i < 6; ++i) {
    Mutex mutex(client, "a");
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_GT(hold->token(), last);
    last = hold->token();
    EXPECT_TRUE(hold->release());
    clock_.step(i % 2 == 0 ? -1h : 30min);
  }
}

TEST_F(MysqlClock, AWaiterOutlivesSteps) {
  Mutex holder(open_directly(short_), "a");
  auto hold = holder.acquire().value();
  Mutex waiter(open_directly(short_), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_waiters(1));
  clock_.step(-1h);
  EXPECT_TRUE(still_waits(entered));
  EXPECT_TRUE(hold.release());
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_GT(in.token, hold.token());
}

}  // namespace
}  // namespace holdfast::test

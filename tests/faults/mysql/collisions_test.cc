// SPDX-License-Identifier: Apache-2.0

// Other programs have locked rows that our statements need.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "faults/mysql/ground.h"
#include "faults/outages.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlCollisions : public OnMysql {
 protected:
  MysqlCollisions() { EXPECT_TRUE(Mutex(open(), "a").try_lock()); }

  // A program holds a transaction open.
  void lock_row() {
    other_.run("BEGIN; SELECT * FROM locks.holdfast_resource FOR UPDATE");
  }
  void unlock_row() { other_.run("ROLLBACK"); }

  MysqlShell other_ = server_.shell();
  const Outage outage_{[this] { return open(short_); }, short_, [this] { lock_row(); },
                       [this] { unlock_row(); }};
};

TEST_F(MysqlCollisions, ALockedRowIsWaitedFor) {
  lock_row();
  Mutex mutex(open(), "a");
  auto entered = wait_for(mutex);
  EXPECT_TRUE(throughout(scaled(5s), [&] { return still_waits(entered); }))
      << "that is longer than the server lets a statement wait";
  unlock_row();
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(MysqlCollisions, ALockedRowIsNotMistakenForALock) {
  Mutex mutex(open(), "a");
  lock_row();
  const auto start = Clock::now();
  const auto refused = mutex.acquire({.wait = scaled(500ms)});
  EXPECT_LT(Clock::now() - start, scaled(4s));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << refused.error().message();
  unlock_row();
  EXPECT_TRUE(mutex.try_lock_for(patience())) << "no statement arrived late";
}

TEST_F(MysqlCollisions, AHoldOutlivesAShortOne) {
  a_hold_outlives_a_short_outage(outage_);
}
TEST_F(MysqlCollisions, ALongOneLosesTheHoldInTime) {
  a_long_outage_loses_the_hold_in_time(outage_);
}

TEST_F(MysqlCollisions, AChangedTableIsWaitedFor) {
  const Sale sale([this] { return open_directly(); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(sale.goes_on());
    shell_.run("ALTER TABLE locks.holdfast_resource FORCE, ALGORITHM=COPY");
    shell_.run("OPTIMIZE TABLE locks.holdfast_claim");
    shell_.run("FLUSH TABLES");
  }
  EXPECT_TRUE(sale.goes_on());
}

TEST_F(MysqlCollisions, ABackupThatLocksEverythingIsWaitedFor) {
  a_hold_outlives_a_short_outage({outage_.open, short_,
                                  [this] { other_.run("FLUSH TABLES WITH READ LOCK"); },
                                  [this] { other_.run("UNLOCK TABLES"); }});
}

// Queues are changed by statements over two tables. The server may roll back one of
// them in favour of another.
TEST_F(MysqlCollisions, DeadlocksOfOurOwnAreNotNoticed) {
  std::atomic<int> failed{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 9; ++i) {
    threads.emplace_back([&, i, client = open_directly()] {
      for (int j = 0; j < 40; ++j) {
        const WaitOptions options{.wait = patience()};
        bool got = false;
        if (i % 3 == 0) got = FairMutex(client, "f").acquire(options).has_value();
        if (i % 3 == 1) {
          got = j % 4 == 0
                    ? SharedMutex(client, "r").acquire(options).has_value()
                    : SharedMutex(client, "r").acquire_shared(options).has_value();
        }
        if (i % 3 == 2) got = Semaphore(client, "s", 2).acquire(options).has_value();
        if (!got) ++failed;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(shell_.number("SELECT COUNT(*) FROM locks.holdfast_claim"), 0);
}

}  // namespace
}  // namespace holdfast::test

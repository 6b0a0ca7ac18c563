// SPDX-License-Identifier: Apache-2.0

// These tests count the statements of each operation.

#include "faults/counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <list>
#include <string>
#include <vector>

#include "faults/mysql/ground.h"
#include "holdfast/counter.h"
#include "holdfast/engine/session.h"
#include "holdfast/fair_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlCounts : public OnMysql {
 protected:
  std::string of(const std::function<void()>& scene) const {
    return spelt(Count{line_}.of(scene));
  }
  int executed() { return line_.passed()["execute"]; }
  int queries() { return line_.passed()["query"]; }  // as those of the hold monitor

  void evict_holder(const engine::Address& of) {
    const Client operators = open_directly();
    const auto resource = operators.session().bind(of).value();
    const auto until = Clock::now() + patience();
    const auto entries = resource->survey(1, until).value();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_TRUE(resource->evict(entries.front().owner, until));
  }
};

TEST_F(MysqlCounts, AFreeLock) {
  Mutex mutex(open(), "a");
  EXPECT_EQ(of([&] { EXPECT_TRUE(mutex.acquire().value().release()); }), "execute:2");
}

TEST_F(MysqlCounts, AFreeLockAsTheServerCounts) {
  Mutex mutex(open_directly(), "a");
  const auto scene = [&] { EXPECT_TRUE(mutex.acquire().value().release()); };
  for (int i = 0; i < 3; ++i) scene();
  const auto commits = [&] { return shell_.figure("Handler_commit"); };
  const auto executed = [&] { return shell_.figure("Com_stmt_execute"); };
  const long before = executed();
  const long of_asking = commits();
  const long committed = commits() - of_asking;
  for (int i = 0; i < 100; ++i) scene();
  EXPECT_EQ(executed() - before, 200);
  EXPECT_LE(commits() - of_asking - 2 * committed, 200 * 2);
}

TEST_F(MysqlCounts, AFreeLockWithoutBells) {
  const Client client = open_quietly(server_.url("/locks?mode=rows", line_.port()));
  Mutex mutex(client, "a");
  EXPECT_EQ(of([&] { EXPECT_TRUE(mutex.acquire().value().release()); }), "execute:2");
}

TEST_F(MysqlCounts, AFreeLockOfANameThatIsNew) {
  const Client client = open();
  int last = 0;
  EXPECT_EQ(of([&] {
              Mutex mutex(client, std::to_string(++last));
              EXPECT_TRUE(mutex.acquire().value().release());
            }),
            "execute:5")
      << "the row is looked up, made and looked up again";
}

TEST_F(MysqlCounts, ALockThatIsTaken) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex mutex(open(), "a");
  EXPECT_EQ(of([&] { EXPECT_FALSE(mutex.try_lock()); }), "execute:2");
}

// A wait that takes long costs more, so the least of some counts.
TEST_F(MysqlCounts, AGrantInACrowd) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  find_taken_often(holder, waiter);
  int least = 100;
  for (int i = 0; i < 10 && least > 3; ++i) {
    ASSERT_TRUE(holder.try_lock_for(patience()));
    const int before = executed();
    auto entered = wait_for(waiter);
    ASSERT_TRUE(has_waiters(1));
    holder.unlock();
    const Entered in = entered.get();
    ASSERT_TRUE(in.token) << in.why_not;
    least = std::min(least, executed() - before);
  }
  EXPECT_EQ(least, 3) << "the wait for the bell, the grant and the release";
}

TEST_F(MysqlCounts, AFreeLockAfterACrowd) {
  Mutex holder(open_directly(), "a");
  Mutex mutex(open(), "a");
  find_taken_often(holder, mutex);
  const auto pair = [&] { EXPECT_TRUE(mutex.acquire().value().release()); };
  const int before = executed();
  pair();
  EXPECT_EQ(executed() - before, 3) << "it still reckons with others";
  pair();
  EXPECT_EQ(executed() - before, 3 + 2);
}

TEST_F(MysqlCounts, AnAdd) {
  Counter counter(open(), "n");
  for (int i = 0; i < 8; ++i)
    EXPECT_TRUE(counter.add(1));  // Each receipt is made once.
  EXPECT_EQ(of([&] { EXPECT_TRUE(counter.add(1)); }), "execute:1");
}

TEST_F(MysqlCounts, AWaiterDoesNotPoll) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_waiters(1));
  EXPECT_TRUE(throughout(scaled(500ms), [&] { return still_waits(entered); }));
  int most = 0;
  for (int i = 0; i < 3; ++i) {  // A waiter reads the row again now and then.
    const int before = line_.passed()["execute"];
    EXPECT_TRUE(throughout(1s, [] { return true; }));
    most = std::max(most, line_.passed()["execute"] - before);
  }
  EXPECT_LE(most, 2);
  holder.unlock();
  EXPECT_TRUE(entered.get().token);
}

TEST_F(MysqlCounts, ManyWaitersDoNotPoll) {
  constexpr int kWaiters = 8;
  Mutex holder(open_directly(), "a");
  holder.lock();
  std::list<Mutex> waiters;
  std::vector<std::shared_future<Entered>> entered;
  for (int i = 0; i < kWaiters; ++i) {
    entered.push_back(wait_for(waiters.emplace_back(open(), "a")));
  }
  ASSERT_TRUE(has_waiters(kWaiters));
  EXPECT_TRUE(throughout(scaled(500ms), [] { return true; }));
  const int before = line_.passed()["execute"];
  EXPECT_TRUE(throughout(1s, [] { return true; }));
  EXPECT_LE(line_.passed()["execute"] - before, 2 * kWaiters);
  holder.unlock();
  for (auto& each : entered) EXPECT_TRUE(each.get().token);
}

TEST_F(MysqlCounts, AnEvictedHoldCostsNothing) {
  const Client client = open(short_);
  const Hold of_row = Mutex(client, "a").acquire().value();
  const Hold of_queue = FairMutex(client, "b").acquire().value();
  const int opened = queries();
  ASSERT_TRUE(eventually([&] { return queries() >= opened + 2; }))
      << "the rows are not monitored";
  evict_holder({engine::Kind::mutex, "a"});
  evict_holder({engine::Kind::fair_mutex, "b"});
  EXPECT_TRUE(told_soon(of_row));
  EXPECT_TRUE(told_soon(of_queue));
  const auto sent = [&] { return executed() + queries(); };
  EXPECT_TRUE(eventually([&] {
    const int before = sent();
    return throughout(2s, [&] { return sent() == before; });
  })) << "the rows are still monitored";
}

TEST_F(MysqlCounts, NoSessionIsLeftWaiting) {
  const Client one = open();
  const Client two = open_directly();
  for (int i = 0; i < 5; ++i) {
    Mutex holder(one, "a");
    Mutex waiter(two, "a");
    holder.lock();
    EXPECT_FALSE(waiter.acquire({.wait = scaled(50ms)}));
    auto entered = wait_for(waiter);
    EXPECT_TRUE(still_waits(entered));
    holder.unlock();
    EXPECT_TRUE(entered.get().token);
  }
  EXPECT_TRUE(has_waiters(0));
  EXPECT_LE(sessions(false).size(), 8u);
}

}  // namespace
}  // namespace holdfast::test

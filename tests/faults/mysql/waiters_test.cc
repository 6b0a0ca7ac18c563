// SPDX-License-Identifier: Apache-2.0

// Many clients wait, and an observer sees them.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <list>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/mysql/ground.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class MysqlWaiters : public OnMysql {
 protected:
  using Names = std::vector<std::string>;

  // Returns the payloads of the waiters of "a", as an observer sees them.
  Names seen() {
    Names result;
    const auto resource = observer_.session().bind({engine::Kind::mutex, "a"}).value();
    const auto entries = resource->survey(100, soon()).value();
    for (const engine::Entry& each : entries) {
      if (!each.granted) result.push_back(each.payload);
    }
    return result;
  }
  testing::AssertionResult shows(const Names& names) {
    if (eventually([&] { return seen() == names; })) return testing::AssertionSuccess();
    return testing::AssertionFailure() << testing::PrintToString(seen());
  }
  Client called(const std::string& payload) const {
    ClientOptions options;
    options.payload = payload;
    return Client::open(server_.url("/locks"), options).value();
  }

  const Client observer_ = open_directly();
};

TEST_F(MysqlWaiters, AreShownSoonInTheOrderOfComing) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  std::list<Mutex> waiters;
  std::vector<std::shared_future<Entered>> entered;
  Names names;
  for (const std::string name : {"ann", "bob", "cat"}) {
    entered.push_back(wait_for(waiters.emplace_back(called(name), "a")));
    names.push_back(name);
    const auto start = Clock::now();
    ASSERT_TRUE(shows(names));
    EXPECT_LT(Clock::now() - start, scaled(1s));
  }
  holder.unlock();
  for (auto& each : entered) EXPECT_TRUE(each.get().token);
  EXPECT_TRUE(shows({}));
}

// A waiter that is not woken and finds the row free begins a new epoch.
TEST_F(MysqlWaiters, AreWokenByTheBell) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open_directly(), "a");
  int woken = 0;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(holder.try_lock_for(patience()));
    const std::string epoch = column("epoch", "a");
    auto entered = wait_for(waiter);
    ASSERT_TRUE(has_waiters(1));
    holder.unlock();
    const Entered in = entered.get();
    ASSERT_TRUE(in.token) << in.why_not;
    if (column("epoch", "a") == epoch) ++woken;
  }
  EXPECT_GE(woken, 3) << "of five; on a busy machine some may read the row first";
}

TEST_F(MysqlWaiters, AWaiterThatGivesUpIsShownNoMore) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex waiter(called("ann"), "a");
  auto refused = std::async(std::launch::async, [&] {
    return waiter.acquire({.wait = scaled(700ms)}).has_value();
  });
  EXPECT_TRUE(shows({"ann"}));
  EXPECT_FALSE(refused.get());
  const auto start = Clock::now();
  EXPECT_TRUE(shows({}));
  EXPECT_LT(Clock::now() - start, scaled(3s))
      << "it was granted when the time of the row was over";
}

TEST_F(MysqlWaiters, OfTheDeadIsNothingLeft) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  for (int i = 0; i < 2; ++i) {
    Victim waiter(server_.url("/locks"), scaled(1s));
    waiter.tell("lock a");
    ASSERT_TRUE(eventually([&] { return seen().size() == 1; }));
    waiter.kill();
    ASSERT_TRUE(shows({}));
  }
  EXPECT_LE(shell_.number("SELECT COUNT(*) FROM locks.holdfast_claim"), 1)
      << "the next waiter removes them";
}

TEST_F(MysqlWaiters, BeyondTheListenersGetInAllTheSame) {
  constexpr int kNames = 24;
  const Client theirs = open_directly();
  const Client ours = open();
  std::list<Mutex> holders;
  std::list<Mutex> waiters;
  std::vector<std::shared_future<Entered>> entered;
  for (int i = 0; i < kNames; ++i) {
    holders.emplace_back(theirs, std::to_string(i)).lock();
    entered.push_back(wait_for(waiters.emplace_back(ours, std::to_string(i))));
  }
  ASSERT_TRUE(has_waiters(16));
  EXPECT_TRUE(still_waits(entered.back()));
  EXPECT_LE(sessions(false).size() + sessions(true).size(), 2u * 8 + 16);
  for (Mutex& each : holders) each.unlock();
  for (auto& each : entered) {
    const Entered in = each.get();
    EXPECT_TRUE(in.token) << in.why_not;
  }
}

// The bell of a contended mutex is waited for before the row is tried. If no thread can
// wait for it, the row is tried all the same.
TEST_F(MysqlWaiters, BeyondTheListenersAFreeNameIsNotWaitedFor) {
  constexpr int kListeners = 16;
  const Client theirs = open_directly();
  const Client ours = open();
  Mutex mutex(ours, "free");
  Mutex holder(theirs, "free");
  find_taken_often(holder, mutex);
  std::list<Mutex> holders;
  std::list<Mutex> waiters;
  std::vector<std::shared_future<Entered>> entered;
  for (int i = 0; i < kListeners; ++i) {
    holders.emplace_back(theirs, std::to_string(i)).lock();
    entered.push_back(wait_for(waiters.emplace_back(ours, std::to_string(i))));
  }
  ASSERT_TRUE(has_waiters(kListeners));
  const std::string epoch = column("epoch", "free");
  EXPECT_TRUE(mutex.try_lock_for(patience()));
  EXPECT_EQ(column("epoch", "free"), epoch) << "it was taken as a row that stays free";
  for (Mutex& each : holders) each.unlock();
  for (auto& each : entered) EXPECT_TRUE(each.get().token);
}

// The bell of an old epoch is free, although the row is taken.
TEST_F(MysqlWaiters, OfAnOldBellChangeOverToTheNewOne) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  find_taken_often(holder, waiter);
  set("epoch = epoch + 1", "a");
  ASSERT_TRUE(holder.try_lock_for(patience()));
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_waiters(1));
  EXPECT_TRUE(still_waits(entered));
  const auto released = Clock::now();
  holder.unlock();
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_LT(in.at - released, scaled(1s)) << "it was not woken";
}

TEST_F(MysqlWaiters, OfManyClientsGetInOneByOne) {
  constexpr int kClients = 20;
  Mutex holder(open_directly(), "a");
  holder.lock();
  std::atomic<int> inside{0};
  std::vector<std::future<bool>> entered;
  for (int i = 0; i < kClients; ++i) {
    entered.push_back(std::async(std::launch::async, [&] {
      Mutex mutex(open_directly(), "a");
      const auto hold = mutex.acquire({.wait = patience()});
      const bool alone = ++inside == 1;
      std::this_thread::sleep_for(1ms);
      --inside;
      return hold && alone;
    }));
  }
  ASSERT_TRUE(has_waiters(kClients));
  const auto start = Clock::now();
  holder.unlock();
  for (auto& each : entered) EXPECT_TRUE(each.get());
  EXPECT_LT(Clock::now() - start, scaled(3s)) << "a waiter was not woken";
}

}  // namespace
}  // namespace holdfast::test

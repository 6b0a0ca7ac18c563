// SPDX-License-Identifier: Apache-2.0

// Connections end under holders and waiters, and servers have no connection left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <list>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/mysql/ground.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class MysqlConnections : public OnMysql {
 protected:
  // The server accepts no new connection, except from root.
  void close_the_door() {
    shell_.run("SET GLOBAL max_connections = 10");  // the least that it accepts
    while (crowd_.size() < 20) {
      crowd_.push_back(server_.shell());
      try {
        crowd_.back().run("DO 1");
      } catch (const std::runtime_error&) {
        crowd_.pop_back();
        return;
      }
    }
  }

  std::list<MysqlShell> crowd_;
};

TEST_F(MysqlConnections, AKilledOneLosesNoHold) {
  Mutex mutex(open(short_), "a");
  auto hold = mutex.acquire().value();
  for (int i = 0; i < 3; ++i) {
    kill(sessions(false));
    EXPECT_TRUE(throughout(short_ / 2, [&] { return hold.valid(); }));
  }
  EXPECT_FALSE(Mutex(open_directly(), "a").try_lock());
  EXPECT_TRUE(hold.release());
}

// The bell is free and wakes the waiter. The row is not free, and it decides.
TEST_F(MysqlConnections, ASilentOneCostsNoOtherHold) {
  const Client client = open(scaled(30s));
  ClaimLock first(client, {engine::Kind::mutex, "a"});
  ClaimLock second(client, {engine::Kind::mutex, "b"});
  ASSERT_TRUE(first.begin());
  ASSERT_TRUE(second.begin());
  std::array refs{engine::ClaimRef{&first.resource(), &first.claim()},
                  engine::ClaimRef{&second.resource(), &second.claim()}};
  line_.freeze_at_call();
  (void)client.session().renew(refs, Clock::now() + scaled(2s));
  EXPECT_TRUE(refs[0].outcome) << "the connection of the first hold does not answer";
  EXPECT_FALSE(refs[1].outcome) << refs[1].outcome.message();
  line_.thaw();
}

TEST_F(MysqlConnections, RenewalsAtTheSameTimeDoNotWaitForEachOther) {
  const Client client = open(scaled(30s));
  ClaimLock locked(client, {engine::Kind::mutex, "locked"});
  ClaimLock free(client, {engine::Kind::mutex, "free"});
  ASSERT_TRUE(locked.begin());
  ASSERT_TRUE(free.begin());
  MysqlShell stranger = server_.shell();
  stranger.run(
      "BEGIN; SELECT * FROM locks.holdfast_resource WHERE name = 'locked' FOR UPDATE");
  auto blocked = std::async(std::launch::async, [&] {
    engine::ClaimRef ref{&locked.resource(), &locked.claim()};
    (void)client.session().renew(std::span(&ref, 1), Clock::now() + scaled(3s));
    return ref.outcome;
  });
  EXPECT_TRUE(
      eventually([&] { return shell_.figure("Innodb_row_lock_current_waits") == 1; }));
  engine::ClaimRef ref{&free.resource(), &free.claim()};
  ASSERT_TRUE(client.session().renew(std::span(&ref, 1), Clock::now() + scaled(500ms)));
  EXPECT_FALSE(ref.outcome) << ref.outcome.message();
  stranger.run("ROLLBACK");
  (void)blocked.get();
}

// All three have their bells on one connection. A call that waits for a locked row uses
// it, and releases the bell of the claim that is gone when it is over.
TEST_F(MysqlConnections, ALostClaimCostsNoOtherHoldWhileItsConnectionIsBusy) {
  const Client client = open_directly();
  ClaimLock gone(client, {engine::Kind::fair_mutex, "gone"});
  ClaimLock other(client, {engine::Kind::fair_mutex, "other"});
  ClaimLock locked(client, {engine::Kind::fair_mutex, "locked"});
  const auto free = [&](const std::string& bell) {
    return shell_.value("SELECT IS_FREE_LOCK('" + bell + "')") == "1";
  };
  const auto begin = [&](ClaimLock& lock) {
    EXPECT_TRUE(lock.begin());
    return "hf:" + shell_.value(
                       "SELECT owner FROM locks.holdfast_claim "
                       "ORDER BY id DESC LIMIT 1");
  };
  const std::string bell_of_gone = begin(gone);
  shell_.run("DELETE FROM locks.holdfast_claim");
  const std::string bell_of_other = begin(other);
  (void)begin(locked);
  MysqlShell stranger = server_.shell();
  stranger.run("BEGIN; SELECT * FROM locks.holdfast_claim WHERE id = " +
               shell_.value("SELECT MAX(id) FROM locks.holdfast_claim") +
               " FOR UPDATE");
  auto blocked = std::async(std::launch::async, [&] {
    engine::ClaimRef ref{&locked.resource(), &locked.claim()};
    (void)client.session().renew(std::span(&ref, 1), Clock::now() + scaled(3s));
  });
  EXPECT_TRUE(
      eventually([&] { return shell_.figure("Innodb_row_lock_current_waits") == 1; }));
  std::array refs{engine::ClaimRef{&gone.resource(), &gone.claim()},
                  engine::ClaimRef{&other.resource(), &other.claim()}};
  const auto asked = Clock::now();
  ASSERT_TRUE(client.session().renew(refs, asked + scaled(900ms)));
  EXPECT_LT(Clock::now() - asked, scaled(300ms)) << "it waited for the connection";
  EXPECT_EQ(refs[0].outcome, Errc::not_held) << refs[0].outcome.message();
  EXPECT_FALSE(refs[1].outcome) << refs[1].outcome.message();
  stranger.run("ROLLBACK");
  blocked.get();
  EXPECT_TRUE(eventually([&] { return free(bell_of_gone); }));
  EXPECT_FALSE(free(bell_of_other)) << "its connection was cut";
}

TEST_F(MysqlConnections, ABellThatIsWonBeforeTheRowIsFreeIsNoGrant) {
  Mutex holder(open(), "a");
  auto hold = holder.acquire().value();
  Mutex waiter(open_directly(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_waiters(1));
  kill(sessions(false));
  ASSERT_TRUE(has_waiters(0)) << "the waiter was not woken";
  EXPECT_TRUE(throughout(scaled(1s), [&] { return still_waits(entered); }));
  EXPECT_TRUE(hold.valid());
  const auto released = Clock::now();
  (void)hold.release();  // Its outcome may be unknown at first.
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_GT(in.token, hold.token());
  EXPECT_LT(in.at - released, scaled(4s)) << "the lease is 30 s";
}

TEST_F(MysqlConnections, ABellThatIsWonWaitsForTheEndOfTheLease) {
  const auto ttl = scaled(2s);
  Victim holder(server_.url("/locks"), ttl);
  ASSERT_EQ(holder.ask("lock a"), "ok");
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_waiters(1));
  const auto left = std::chrono::microseconds(std::stol(
      column("TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at)", "a")));
  const auto start = Clock::now();
  holder.kill();
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_GE(in.at - start, left - scaled(50ms))
      << "it was granted before the lease was over";
  EXPECT_LE(in.at - start, left + scaled(500ms));
}

TEST_F(MysqlConnections, AKilledWaiterWaitsAgain) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(eventually([&] { return !sessions(true).empty() || i > 0; }));
    kill(sessions(true));
    EXPECT_TRUE(still_waits(entered));
  }
  const auto released = Clock::now();
  holder.unlock();
  const Entered in = entered.get();
  ASSERT_TRUE(in.token) << in.why_not;
  EXPECT_LT(in.at - released, scaled(4s));
}

TEST_F(MysqlConnections, AKilledStatementIsNoGrant) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_waiters(1));
  shell_.run("KILL QUERY " + std::to_string(sessions(true).front().id));
  EXPECT_TRUE(still_waits(entered));
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(MysqlConnections, AHalfOpenOneIsEndedByTheServer) {
  const auto ttl = scaled(2s);
  Mutex mutex(open(ttl), "a");
  mutex.lock();
  line_.freeze();
  EXPECT_TRUE(eventually([&] { return sessions(false).empty(); }, 3 * ttl))
      << "the server would keep its bell for hours";
}

TEST_F(MysqlConnections, AnIdleClientGoesOn) {
  const auto ttl = scaled(1s);
  const Client client = open(ttl);
  Mutex mutex(client, "a");
  mutex.lock();
  mutex.unlock();
  ASSERT_TRUE(eventually([&] { return sessions(false).empty(); }));
  const auto hold = mutex.acquire({.wait = Timeout::zero()});
  EXPECT_TRUE(hold) << hold.error().message();
}

TEST_F(MysqlConnections, AreFew) {
  const Client client = open();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&, name = std::to_string(i)] {
      for (int j = 0; j < 20; ++j) EXPECT_TRUE(Mutex(client, name).acquire());
    });
  }
  threads.clear();
  EXPECT_LE(sessions(false).size(), 8u);
}

TEST_F(MysqlConnections, NoneIsLeftOfAClosedClient) {
  {
    const Client client = open();
    Mutex mutex(client, "a");
    mutex.lock();
    Mutex waiter(open(), "a");
    EXPECT_FALSE(waiter.acquire({.wait = scaled(100ms)}));
    ASSERT_FALSE(sessions(false).empty());
    mutex.unlock();
  }
  EXPECT_TRUE(
      eventually([&] { return sessions(false).empty() && sessions(true).empty(); }));
}

TEST_F(MysqlConnections, AreAllBusyUntilTheDeadlineOfACall) {
  const Client client = open_directly();
  const auto counter = client.session().bind({engine::Kind::counter, "a"}).value();
  const auto add = [&](std::chrono::milliseconds limit) {
    return counter->add(1, engine::Ticket::none, Clock::now() + limit);
  };
  ASSERT_TRUE(add(patience()));
  MysqlShell stranger = server_.shell();
  stranger.run(
      "BEGIN; SELECT * FROM locks.holdfast_resource WHERE name = 'a' FOR UPDATE");
  std::vector<std::future<bool>> others;
  for (int i = 0; i < 8; ++i) {
    others.push_back(
        std::async(std::launch::async, [&] { return add(patience()).has_value(); }));
  }
  ASSERT_TRUE(
      eventually([&] { return shell_.figure("Innodb_row_lock_current_waits") == 8; }));
  const auto late = add(scaled(50ms));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::unavailable);
  EXPECT_THAT(late.error().context,
              HasSubstr("8 other calls used the connections to MySQL at 127.0.0.1:"));
  stranger.run("ROLLBACK");
  for (auto& each : others) EXPECT_TRUE(each.get());
}

TEST_F(MysqlConnections, WithoutAnyLeftAClientSaysSo) {
  close_the_door();
  const Failure failure = first_failure(server_.url("/locks"));
  EXPECT_EQ(failure.code, Errc::unavailable) << failure.message();
  EXPECT_THAT(failure.message(), HasSubstr("onnections"));
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
}

TEST_F(MysqlConnections, WithoutAnyLeftAWaiterGetsInAllTheSame) {
  const Client ours = open();
  const Client theirs = open_directly();
  Mutex holder(theirs, "a");
  Mutex waiter(ours, "a");
  ASSERT_TRUE(waiter.try_lock());
  waiter.unlock();
  holder.lock();
  close_the_door();
  auto entered = wait_for(waiter);
  EXPECT_TRUE(still_waits(entered));
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

}  // namespace
}  // namespace holdfast::test

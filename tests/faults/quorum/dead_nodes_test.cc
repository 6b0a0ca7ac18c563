// SPDX-License-Identifier: Apache-2.0

// Nodes are killed, and come back without their data.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "faults/quorum/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class DeadNodes : public Five {
 protected:
  // Two clients do everything with a lock, for longer than its lease.
  void lock_works(const Client& one, const Client& two) {
    const auto ttl = scaled(600ms);
    Mutex first(one, "a", LeaseOptions{.ttl = ttl});
    Mutex second(two, "a", LeaseOptions{.ttl = ttl});
    auto hold = first.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto refused = second.acquire({.wait = Timeout::zero()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::timed_out);
    EXPECT_TRUE(throughout(2 * ttl, [&] { return hold->valid(); }))
        << "the hold was not renewed";
    EXPECT_FALSE(second.try_lock());
    auto next = std::async(std::launch::async, [&] {
      const auto got = second.acquire({.wait = patience()});
      return got.has_value();
    });
    EXPECT_TRUE(hold->release());
    EXPECT_TRUE(next.get());
  }
};

TEST_F(DeadNodes, TwoOfFiveAreNoTroubleAtTheStart) {
  servers_[0].kill();
  servers_[3].kill();
  lock_works(open(), open());
}

TEST_F(DeadNodes, TwoOfFiveAreNoTroubleLater) {
  const Client one = open();
  const Client two = open();
  lock_works(one, two);
  servers_[1].kill();
  servers_[4].kill();
  lock_works(one, two);
}

TEST_F(DeadNodes, ThatDieWhileTheLockIsHeldDoNotTakeItWithThem) {
  const auto ttl = scaled(600ms);
  Mutex mutex(open(ttl), "a");
  Mutex other(open(), "a");
  auto hold = mutex.acquire().value();
  servers_[0].kill();
  servers_[1].kill();
  EXPECT_TRUE(throughout(3 * ttl, [&] { return hold.valid(); }));
  EXPECT_FALSE(other.try_lock());
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(other.try_lock());
  other.unlock();
}

TEST_F(DeadNodes, ThreeOfFiveAreTooManyAndTheHolderIsToldInTime) {
  const auto ttl = scaled(600ms);
  Mutex mutex(open(ttl), "a");
  auto hold = mutex.acquire().value();
  std::atomic<Clock::time_point> told{Clock::time_point::max()};
  const std::stop_callback on_loss(hold.lost(), [&] { told = Clock::now(); });
  const auto start = Clock::now();
  for (const std::size_t i : {0, 2, 4}) servers_[i].kill();
  EXPECT_TRUE(eventually([&] { return told.load() != Clock::time_point::max(); }));
  EXPECT_LE(told.load() - start, ttl + scaled(50ms));
  EXPECT_FALSE(hold.valid());

  const auto refused = mutex.acquire({.wait = scaled(100ms)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable) << refused.error().message();
  EXPECT_NE(refused.error().message().find("fewer than 3 of the 5"), std::string::npos)
      << refused.error().message();
}

TEST_F(DeadNodes, ThreeOfFiveAreTooManyToBegin) {
  for (const std::size_t i : {0, 2, 4}) servers_[i].kill();
  const Failure why = first_failure(url());
  EXPECT_EQ(why.code, Errc::unavailable);
  EXPECT_TRUE(is_one_sentence(why.message())) << why.message();
}

TEST_F(DeadNodes, ThatComeBackAreUsedAgain) {
  servers_[0].kill();
  const Client one = open();
  const Client two = open();
  servers_[1].kill();
  lock_works(one, two);
  servers_[0].start();
  servers_[1].start();
  const auto everywhere = [](const RedisServer& each) {
    return each.command({"EXISTS", "again"}) == "1";
  };
  for (const Client& each : {one, two}) {
    Mutex mutex(each, "again");
    EXPECT_TRUE(eventually([&] {
      const auto hold = mutex.acquire();
      return hold && std::ranges::all_of(servers_, everywhere);
    })) << "a node is not asked for it";
  }
  servers_[2].kill();
  servers_[3].kill();
  lock_works(one, two);
}

// The node has lost its vote and could grant the lock to another client. The other four
// nodes refuse that client.
TEST_F(DeadNodes, OneThatCameBackEmptyGrantsNoOtherClient) {
  const auto ttl = scaled(600ms);
  Mutex mutex(open(ttl), "a");
  Mutex other(open(), "a");
  auto hold = mutex.acquire().value();
  servers_[2].kill();
  servers_[2].start();
  ASSERT_EQ(servers_[2].command({"DBSIZE"}), "0");
  EXPECT_TRUE(throughout(2 * ttl, [&] { return hold.valid() && !other.try_lock(); }));
  EXPECT_TRUE(is_clean(2)) << "the vote for the refused client is still there";
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(other.try_lock());
  other.unlock();
}

// The holder is told, so it does not drop the claim any more.
TEST_F(DeadNodes, AClaimThatAMajorityHasLostIsGivenUpAtTheOthers) {
  Mutex mutex(open(), "a");
  const auto hold = mutex.acquire().value();
  const auto has_it = [](const RedisServer& each) {
    return each.command({"EXISTS", "a"}) == "1";
  };
  ASSERT_TRUE(eventually([&] { return std::ranges::all_of(servers_, has_it); }));
  for (const std::size_t i : {0, 2, 4}) {
    ASSERT_EQ(servers_[i].command({"DEL", "a"}), "1");
  }
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  for (const std::size_t i : {1, 3}) EXPECT_TRUE(is_clean(i));
}

// A stopped node carries out what was in its buffer when it goes on, and that lease
// begins then. It must be dropped, although its caller was told long ago that the
// attempt failed.
TEST_F(DeadNodes, ThatWereStoppedForLongerThanALeaseKeepNothing) {
  const auto ttl = scaled(2s);
  Mutex mutex(open(ttl), "a");
  Mutex other(open(ttl), "a");
  for (Mutex* each : {&mutex, &other}) {
    ASSERT_TRUE(each->try_lock());
    each->unlock();
  }
  for (const std::size_t i : {0, 2, 4}) servers_[i].pause();
  const auto refused = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable) << refused.error().message();
  std::this_thread::sleep_for(ttl +
                              ttl / 4);  // Then the lease that was asked for is over.
  for (const std::size_t i : {0, 2, 4}) servers_[i].resume();
  const auto resumed = Clock::now();
  ASSERT_TRUE(other.acquire({.wait = patience()}));
  EXPECT_LT(Clock::now() - resumed, ttl * 3 / 4) << "it waited for a lease to expire";
  for (const std::size_t i : {0, 2, 4}) EXPECT_TRUE(is_clean(i));
}

}  // namespace
}  // namespace holdfast::test

// Nodes that are killed, and nodes that come back with nothing.

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
  // Everything that two clients do with a lock, for longer than its lease.
  void lock_works(const Client& one, const Client& two) {
    const auto ttl = scaled(600ms);
    Mutex first(one, "a", LeaseOptions{.ttl = ttl});
    Mutex second(two, "a", LeaseOptions{.ttl = ttl});
    auto hold = first.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    const auto refused = second.acquire({.wait = Timeout::zero()});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::timed_out);
    EXPECT_TRUE(throughout(2 * ttl, [&] { return hold->valid(); })) << "not renewed";
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
  EXPECT_NE(refused.error().message().find("2 of the 5"), std::string::npos)
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
    })) << "somewhere it is not asked for";
  }
  servers_[2].kill();
  servers_[3].kill();
  lock_works(one, two);
}

// Its vote is gone, and is free for another; the other four keep him out.
TEST_F(DeadNodes, OneThatCameBackEmptyLetsNobodyIn) {
  const auto ttl = scaled(600ms);
  Mutex mutex(open(ttl), "a");
  Mutex other(open(), "a");
  auto hold = mutex.acquire().value();
  servers_[2].kill();
  servers_[2].start();
  ASSERT_EQ(servers_[2].command({"DBSIZE"}), "0");
  EXPECT_TRUE(throughout(2 * ttl, [&] { return hold.valid() && !other.try_lock(); }));
  EXPECT_TRUE(is_clean(2)) << "the vote of one who was refused";
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(other.try_lock());
  other.unlock();
}

// Each of them carries out what was in its buffer when it goes on, and that lease
// begins then: it must be dropped although its caller has long been told that it
// failed.
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
  std::this_thread::sleep_for(ttl + ttl / 4);  // the lease of what was asked is over
  for (const std::size_t i : {0, 2, 4}) servers_[i].resume();
  const auto resumed = Clock::now();
  ASSERT_TRUE(other.acquire({.wait = patience()}));
  EXPECT_LT(Clock::now() - resumed, ttl * 3 / 4) << "it waited for a lease";
  for (const std::size_t i : {0, 2, 4}) EXPECT_TRUE(is_clean(i));
}

}  // namespace
}  // namespace holdfast::test

// Leases that end at the server, and what is left of them.

#include <gtest/gtest.h>

#include "faults/etcd/ground.h"
#include "holdfast/counter.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using EtcdLeases = OnEtcd;

TEST_F(EtcdLeases, ARevokedOneLosesTheHoldAndTheClientGoesOn) {
  const Client client = open(short_);
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  const auto before = only_key("a").lease;
  shell_.revoke(before);
  EXPECT_TRUE(told_soon(hold));
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);

  const auto next = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
  EXPECT_NE(only_key("a").lease, before);
}

TEST_F(EtcdLeases, ARevokedOneLosesEverythingThatHangsOnIt) {
  const Client client = open(short_);
  Mutex one(client, "a");
  Mutex two(client, "b");
  const auto first = one.acquire().value();
  const auto second = two.acquire().value();
  ASSERT_EQ(only_key("a").lease, only_key("b").lease);
  shell_.revoke(only_key("a").lease);
  EXPECT_TRUE(told_soon(first));
  EXPECT_TRUE(told_soon(second));
}

TEST_F(EtcdLeases, ARevokedOneLetsTheNextInAtOnce) {
  Mutex holder(open(), "a");
  Mutex waiter(open_directly(), "a");
  const auto hold = holder.acquire().value();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  const auto start = Clock::now();
  shell_.revoke(keys("a").front().lease);
  const Entered in = entered.get();
  EXPECT_LT(in.at - start, scaled(1s)) << in.why_not;
  EXPECT_GT(in.token, hold.token());
}

TEST_F(EtcdLeases, AWaiterOfARevokedOneQueuesAgain) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  for (int i = 0; i < 3; ++i) {
    const auto lease = keys("a").at(1).lease;
    shell_.revoke(lease);
    ASSERT_TRUE(eventually(
        [&] { return keys("a").size() == 2 && keys("a").at(1).lease != lease; }));
  }
  EXPECT_TRUE(still_waits(entered));
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(EtcdLeases, NothingOfARevokedOneComesBack) {
  const Client client = open();
  for (int i = 0; i < 5; ++i) {
    Mutex mutex(client, "a");
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    shell_.revoke(only_key("a").lease);
    (void)hold->release();
    ASSERT_TRUE(has_keys("a", 0));
  }
}

TEST_F(EtcdLeases, RegistersOutliveThem) {
  const Client client = open();
  Counter counter(client, "n");
  ASSERT_TRUE(counter.add(5));
  Mutex mutex(client, "a");
  mutex.lock();
  shell_.revoke(only_key("a").lease);
  const auto sum = counter.add(2);
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(sum->after, 7);
}

TEST_F(EtcdLeases, VeryLongOnesAreCut) {
  const Client client = open(std::chrono::hours(24) * 365 * 500);
  const auto hold = Mutex(client, "a").acquire({.wait = Timeout::zero()});
  EXPECT_TRUE(hold) << hold.error().message();
}

TEST_F(EtcdLeases, AClosedClientLeavesNone) {
  {
    const Client client = open();
    Mutex mutex(client, "a");
    mutex.lock();
    ASSERT_EQ(shell_.leases().size(), 1u);
  }
  EXPECT_TRUE(eventually([&] { return shell_.leases().empty(); }));
  EXPECT_TRUE(shell_.below("").empty());
}

}  // namespace
}  // namespace holdfast::test

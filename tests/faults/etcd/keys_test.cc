// SPDX-License-Identifier: Apache-2.0

// Keys that other clients delete or overwrite.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/etcd/ground.h"
#include "holdfast/engine/session.h"
#include "holdfast/semaphore.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using EtcdKeys = OnEtcd;

TEST_F(EtcdKeys, ADeletedKeyIsALostHold) {
  Mutex mutex(open(short_), "a");
  const auto hold = mutex.acquire().value();
  ASSERT_TRUE(shell_.remove(only_key("a").key));
  EXPECT_TRUE(told_soon(hold));
  EXPECT_TRUE(Mutex(open(), "a").try_lock());
}

// After its first renewal the key is watched, so the loss is known before the next one.
TEST_F(EtcdKeys, ADeletedKeyIsToldAtOnce) {
  const auto ttl = scaled(9s);
  Mutex mutex(open(ttl), "a");
  const auto hold = mutex.acquire().value();
  ASSERT_TRUE(eventually([&] { return line_.passed().contains("Watch"); }));
  const auto start = Clock::now();
  ASSERT_TRUE(shell_.remove(only_key("a").key));
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_LT(Clock::now() - start, ttl / 6);
}

TEST_F(EtcdKeys, OnlyClaimsAreEvicted) {
  const Client client = open();
  auto hold = Semaphore(client, "a", 2).acquire().value();
  const auto resource = client.session().bind({engine::Kind::semaphore, "a"}).value();
  for (const std::string owner : {"permits", "claims", "claims/", "", "x", "../a"}) {
    const auto evicted = resource->evict(owner, Clock::now() + patience());
    ASSERT_FALSE(evicted) << owner;
    EXPECT_EQ(evicted.error().code, Errc::not_held) << owner;
  }
  EXPECT_TRUE(shell_.get(key("a/permits")));
  EXPECT_TRUE(hold.release());
}

TEST_F(EtcdKeys, ADeletedWaiterQueuesAgain) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  const auto before = keys("a").at(1).created;
  shell_.remove(keys("a").at(1).key);
  EXPECT_TRUE(eventually(
      [&] { return keys("a").size() == 2 && keys("a").at(1).created != before; }));
  EXPECT_TRUE(still_waits(entered));
  holder.unlock();
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(EtcdKeys, AllKeysMayBeDeleted) {
  Mutex holder(open_directly(short_), "a");
  const auto hold = holder.acquire().value();
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  shell_.remove(keys("a").at(1).key);
  shell_.remove(keys("a").front().key);
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
  EXPECT_TRUE(told_soon(hold));
}

// One request of a renewal checks a hundred claims.
TEST_F(EtcdKeys, OneOfManyIsLostAlone) {
  constexpr std::size_t kMany = 250;
  const Client client = open(short_);
  std::vector<Hold> holds;
  for (std::size_t i = 0; i < kMany; ++i) {
    holds.push_back(Mutex(client, std::to_string(i)).acquire().value());
  }
  shell_.remove(only_key("120").key);
  EXPECT_TRUE(told_soon(holds[120]));
  EXPECT_TRUE(throughout(2 * short_, [&] {
    return std::ranges::count_if(holds, &Hold::valid) == kMany - 1;
  }));
}

// The key is deleted and put again: with the same name and lease it is still not the
// claim that was granted.
TEST_F(EtcdKeys, AKeyThatAnotherClientPutAgainIsNotOurs) {
  Mutex mutex(open(short_), "a");
  auto hold = mutex.acquire().value();
  const EtcdKey ours = only_key("a");
  shell_.remove(ours.key);
  shell_.put(ours.key, ours.value, ours.lease);
  EXPECT_TRUE(told_soon(hold));
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
}

// The name of a mutex's key is that of the lease, so another client may know it before.
TEST_F(EtcdKeys, AKeyThatAnotherClientPutFirstIsNotOurs) {
  const Client client = open();
  Mutex first(client, "first");
  ASSERT_TRUE(first.try_lock());
  const std::string taken =
      key("a/") + only_key("first").key.substr(key("first/").size());
  shell_.put(taken, "a stranger's");
  Mutex mutex(client, "a");
  const auto refused = mutex.acquire({.wait = 0s});
  ASSERT_FALSE(refused) << "it took another's key for its own";
  EXPECT_EQ(refused.error().code, Errc::wrong_kind);
  EXPECT_THAT(refused.error().message(), testing::HasSubstr(taken));
  EXPECT_TRUE(shell_.remove(taken)) << "it deleted another's key";
  EXPECT_TRUE(mutex.acquire());
}

// The claim's own key may be there, too, as far as the client knows.
TEST_F(EtcdKeys, AKeyThatAnotherClientPutFirstStaysIfAnAnswerIsLost) {
  const Client client = open();
  ClaimLock first(client, {engine::Kind::mutex, "first"});
  ASSERT_TRUE(first.begin());
  const std::string taken =
      key("a/") + only_key("first").key.substr(key("first/").size());
  shell_.put(taken, "a stranger's");
  const auto mutex = client.session().bind({engine::Kind::mutex, "a"}).value();
  const engine::Claim claim{.ticket = next_ticket()};
  line_.lose_replies(1);
  const auto unknown = mutex->attempt(claim, nullptr, soon());
  ASSERT_FALSE(unknown);
  ASSERT_EQ(unknown.error().code, Errc::outcome_unknown) << unknown.error().message();
  // The connection is a new one, so the first request on it may not have been sent.
  auto refused = mutex->attempt(claim, nullptr, soon());
  EXPECT_TRUE(eventually([&] {
    if (refused || refused.error() != Errc::unavailable) return true;
    refused = mutex->attempt(claim, nullptr, soon());
    return false;
  }));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
  EXPECT_TRUE(shell_.remove(taken)) << "it deleted another's key";
  EXPECT_FALSE(shell_.below(key("%gone/")).empty()) << "the claim may still come";
}

TEST_F(EtcdKeys, AWaitersKeyThatAnotherClientPutAgainIsNotOurs) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  ASSERT_TRUE(eventually([&] { return line_.passed().contains("Watch"); }))
      << "it has not begun to wait";
  const EtcdKey theirs = keys("a").at(1);
  line_.unreachable(true);
  shell_.remove(theirs.key);
  shell_.put(theirs.key, "a stranger's");
  line_.unreachable(false);
  holder.unlock();
  EXPECT_TRUE(still_waits(entered)) << "it took another's key for its own";
  shell_.remove(theirs.key);
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
}

TEST_F(EtcdKeys, AValueThatAnotherClientChangedLosesNothing) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  const EtcdKey ours = only_key("a");
  shell_.put(ours.key, "a stranger", ours.lease);
  EXPECT_TRUE(throughout(scaled(1s), [&] { return hold.valid(); }));
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(has_keys("a", 0));
}

TEST_F(EtcdKeys, AKeyWhoseLeaseWasTakenAwayIsReleasedAllTheSame) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  shell_.put(only_key("a").key, "for ever");
  (void)hold.release();
  EXPECT_TRUE(has_keys("a", 0));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Leases that the server ends, and what happens to their claims.

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <thread>

#include "conformance/claim_lock.h"
#include "faults/etcd/ground.h"
#include "faults/losses.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdLeases : public OnEtcd {
 protected:
  const TakeAway revoke_ = [this] { shell_.revoke(only_key("a").lease); };
};

TEST_F(EtcdLeases, ARevokedOneLosesTheHoldAndTheClientGoesOn) {
  the_hold_is_lost_and_the_client_goes_on(bad_line_, revoke_);
}
TEST_F(EtcdLeases, NothingOfARevokedOneComesBack) {
  nothing_comes_back(bad_line_, revoke_);
}
TEST_F(EtcdLeases, RegistersOutliveThem) { registers_stay(bad_line_, revoke_); }

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

// The receipt that would tell has ended with its lease.
TEST_F(EtcdLeases, AChangeThatWasNotAnsweredIsNotMadeAgainAfterThem) {
  const Client client = open(short_);
  const auto counter = client.session().bind({engine::Kind::counter, "n"}).value();
  ASSERT_TRUE(counter->add(1, next_ticket(), soon()));
  const engine::Ticket ticket = next_ticket();
  line_.lose_replies(1);
  ASSERT_FALSE(counter->add(1, ticket, soon()));
  line_.unreachable(true);
  ASSERT_TRUE(eventually([&] { return shell_.leases().empty(); }));
  line_.unreachable(false);
  const auto again = counter->add(1, ticket, soon());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::outcome_unknown) << again.error().message();
  EXPECT_EQ(shell_.get(key("n"))->value, "2");
}

TEST_F(EtcdLeases, AChangeWhoseLeaseWasRevokedIsNotMadeTwice) {
  const Client client = open();
  const auto counter = client.session().bind({engine::Kind::counter, "n"}).value();
  ASSERT_TRUE(counter->add(1, next_ticket(), soon()));
  const engine::Ticket ticket = next_ticket();
  line_.lose_replies(1);
  ASSERT_FALSE(counter->add(1, ticket, soon()));
  for (const std::int64_t lease : shell_.leases()) shell_.revoke(lease);
  const auto again = counter->add(1, ticket, soon());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::outcome_unknown) << again.error().message();
  EXPECT_EQ(shell_.get(key("n"))->value, "2");
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

// The connection is too slow for the call with the short deadline and fast enough for
// the other. The URL names two members, so the client could switch.
TEST_F(EtcdLeases, ARenewalInAHurryDoesNotDisturbAnother) {
  const std::string member = "127.0.0.1:" + std::to_string(line_.port());
  const Client client =
      open_quietly("etcd://" + member + "," + member + std::string(kPrefix));
  ClaimLock hurried(client, {engine::Kind::mutex, "a"});
  ClaimLock patient(client, {engine::Kind::mutex, "b"});
  ASSERT_TRUE(hurried.begin());
  ASSERT_TRUE(patient.begin());
  line_.delay(300ms);
  const std::jthread hurry([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      engine::ClaimRef ref{&hurried.resource(), &hurried.claim()};
      (void)client.session().renew(std::span(&ref, 1), Clock::now() + 100ms);
    }
  });
  for (int i = 0; i < 3; ++i) {
    engine::ClaimRef ref{&patient.resource(), &patient.claim()};
    const auto renewed =
        client.session().renew(std::span(&ref, 1), Clock::now() + scaled(3s));
    ASSERT_TRUE(renewed) << renewed.error().message();
    EXPECT_FALSE(ref.outcome) << ref.outcome.message();
  }
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Every call is idempotent: it may be retried with the same ticket.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

using engine::Claim;
using engine::Granted;
using namespace std::chrono_literals;

class Repeats : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    client_.emplace(open());
    resource_ = client_->session().bind(address()).value();
  }

  engine::Address address() const { return {engine::Kind::mutex, name("a")}; }
  const Client& client() const { return *client_; }
  engine::Resource& resource() { return *resource_; }

 private:
  std::optional<Client> client_;
  std::shared_ptr<engine::Resource> resource_;
};

HOLDFAST_CONFORMANCE(Repeats);

TEST_P(Repeats, AGrantedAttemptIsTheSameGrant) {
  const Claim claim{.ticket = next_ticket()};
  const engine::Waker waker = client().session().signal();
  const auto first =
      std::get<Granted>(resource().attempt(claim, waker, soon()).value());
  const auto again =
      std::get<Granted>(resource().attempt(claim, waker, soon()).value());
  EXPECT_EQ(again.token, first.token);
  EXPECT_EQ(survey(client(), address()).size(), 1u);
  EXPECT_TRUE(resource().drop(claim, soon()));
  EXPECT_TRUE(survey(client(), address()).empty());
}

TEST_P(Repeats, ABlockedAttemptIsTheSamePlace) {
  ClaimLock holder(open(), address());
  ASSERT_TRUE(holder.begin());
  ClaimLock first(open(), address());
  ClaimLock second(open(), address());
  ASSERT_FALSE(first.begin());
  ASSERT_FALSE(second.begin());
  for (int i = 0; i < 5; ++i) ASSERT_FALSE(first.again());
  EXPECT_EQ(survey(client(), address()).size(), 3u);
  ASSERT_TRUE(holder.release());
  const bool second_is_in = second.again();
  EXPECT_NE(first.again(), second_is_in);
  if (client().traits(address().kind).orders) {
    EXPECT_FALSE(second_is_in);
  }
  ClaimLock& other = second_is_in ? first : second;
  ASSERT_TRUE((second_is_in ? second : first).release());
  EXPECT_TRUE(other.again());
}

TEST_P(Repeats, ADropIsFinal) {
  const Claim claim{.ticket = next_ticket()};
  ASSERT_TRUE(resource().attempt(claim, nullptr, soon()));
  EXPECT_TRUE(resource().drop(claim, soon()));
  for (int i = 0; i < 3; ++i) {
    const auto repeated = resource().drop(claim, soon());
    ASSERT_FALSE(repeated);
    EXPECT_EQ(repeated.error().code, Errc::not_held);
  }
}

TEST_P(Repeats, ADropOfWhatNeverWasSaysSo) {
  const auto dropped = resource().drop({.ticket = next_ticket()}, soon());
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().code, Errc::not_held);
}

TEST_P(Repeats, ADropWithoutTheTicketHarmsNoClaim) {
  ClaimLock holder(open(), address());
  ASSERT_TRUE(holder.begin());
  EXPECT_FALSE(resource().drop(holder.claim(), soon())) << "another session's ticket";
  EXPECT_FALSE(ClaimLock(open(), address()).acquire({.wait = Timeout::zero()}));
  EXPECT_TRUE(holder.release());
}

TEST_P(Repeats, ABlockedAttemptWithoutAWakerLeavesNoPlace) {
  ClaimLock holder(open(), address());
  ASSERT_TRUE(holder.begin());
  const Claim claim{.ticket = next_ticket()};
  const auto verdict = resource().attempt(claim, nullptr, soon()).value();
  EXPECT_TRUE(std::holds_alternative<engine::Blocked>(verdict));
  EXPECT_EQ(survey(client(), address()).size(), 1u);
  const auto dropped = resource().drop(claim, soon());
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().code, Errc::not_held);
}

TEST_P(Repeats, AWaitingPlaceCanBeDropped) {
  ClaimLock holder(open(), address());
  ClaimLock waiter(open(), address());
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  EXPECT_TRUE(waiter.release());
  EXPECT_EQ(survey(client(), address()).size(), 1u);
}

TEST_P(Repeats, RenewExtendsAndNeverCreates) {
  const Claim held{.ticket = next_ticket()};
  const Claim absent{.ticket = next_ticket()};
  ASSERT_TRUE(resource().attempt(held, nullptr, soon()));
  engine::ClaimRef refs[] = {{&resource(), &held}, {&resource(), &absent}};
  ASSERT_TRUE(client().session().renew(refs, soon()));
  EXPECT_FALSE(refs[0].outcome) << refs[0].outcome.message();
  if (client().traits(address().kind).leased) {
    EXPECT_GT(refs[0].granted.lease, 0s);
    EXPECT_LE(refs[0].granted.lease, scaled(30s)) << "the engine has not set it";
  }
  EXPECT_EQ(refs[1].outcome, Errc::not_held);
  EXPECT_EQ(survey(client(), address()).size(), 1u);
  EXPECT_TRUE(resource().drop(held, soon()));
  engine::ClaimRef late[] = {{&resource(), &held}};
  ASSERT_TRUE(client().session().renew(late, soon()));
  EXPECT_EQ(late[0].outcome, Errc::not_held);
  EXPECT_TRUE(survey(client(), address()).empty());
}

TEST_P(Repeats, AnotherTicketOfTheSameSessionIsAnotherClaim) {
  const Claim first{.ticket = next_ticket()};
  const Claim second{.ticket = next_ticket()};
  EXPECT_TRUE(std::holds_alternative<Granted>(
      resource().attempt(first, nullptr, soon()).value()));
  EXPECT_FALSE(std::holds_alternative<Granted>(
      resource().attempt(second, nullptr, soon()).value()));
  EXPECT_TRUE(resource().drop(first, soon()));
  EXPECT_TRUE(std::holds_alternative<Granted>(
      resource().attempt(second, nullptr, soon()).value()));
  EXPECT_TRUE(resource().drop(second, soon()));
}

TEST_P(Repeats, AmendChangesAndNeverCreates) {
  const Claim absent{.ticket = next_ticket()};
  Claim wanted = absent;
  wanted.payload = "new";
  const auto refused = resource().amend(absent, wanted, soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_held);
  ASSERT_TRUE(resource().attempt(absent, nullptr, soon()));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(resource().amend(absent, wanted, soon()));
    const auto entries = survey(client(), address());
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].payload, "new");
  }
  EXPECT_TRUE(resource().drop(wanted, soon()));
}

TEST_P(Repeats, AnEvictionOfAnUnknownOwnerSaysSo) {
  ClaimLock holder(open(), address());
  ASSERT_TRUE(holder.begin());
  const auto entries = survey(client(), address());
  ASSERT_EQ(entries.size(), 1u);
  ASSERT_TRUE(holder.release());
  const auto evicted = resource().evict(entries[0].owner, soon());
  ASSERT_FALSE(evicted);
  EXPECT_EQ(evicted.error().code, Errc::not_held);
}

TEST_P(Repeats, ARenewalOfNoClaimKeepsTheSession) {
  EXPECT_TRUE(client().session().renew({}, soon()));
}

TEST_P(Repeats, RenewalsOfOtherClaimsRunAtOnce) {
  const auto renew_often = [&](const std::string& text) {
    const auto mutex =
        client().session().bind({engine::Kind::mutex, name(text)}).value();
    const Claim claim{.ticket = next_ticket()};
    ASSERT_TRUE(mutex->attempt(claim, nullptr, soon()));
    for (int i = 0; i < 20; ++i) {
      engine::ClaimRef refs[] = {{mutex.get(), &claim}};
      ASSERT_TRUE(client().session().renew(refs, soon()));
      ASSERT_FALSE(refs[0].outcome) << refs[0].outcome.message();
    }
    EXPECT_TRUE(mutex->drop(claim, soon()));
  };
  std::jthread one([&] { renew_often("one"); });
  std::jthread two([&] { renew_often("two"); });
  renew_often("three");
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <variant>

#include "support/eventually.h"
#include "testing/fake_engine.h"

namespace holdfast::quorum {
namespace {

using namespace std::chrono_literals;
using engine::Blocked;
using engine::Claim;
using engine::Granted;
using engine::Kind;
using test::eventually;
using test::FakeEngine;
using testing::HasSubstr;

// A quorum of five nodes in memory.
class QuorumEngineTest : public testing::Test {
 protected:
  QuorumEngineTest() {
    for (auto& each : worlds_) each = FakeEngine::world();
  }

  Result<std::unique_ptr<engine::Session>> try_open() {
    std::vector<std::unique_ptr<engine::Engine>> nodes;
    for (const auto& each : worlds_) {
      nodes.push_back(std::make_unique<FakeEngine>(each));
    }
    engines_.push_back(make_engine(std::move(nodes)).value());
    engine::SessionOptions options;
    options.client[0] = static_cast<std::uint8_t>(engines_.size());
    return engines_.back()->open(options);
  }
  std::unique_ptr<engine::Session> open() { return try_open().value(); }

  static engine::Deadline soon() { return Clock::now() + test::patience(); }
  static bool is_granted(Result<engine::Verdict> verdict) {
    return std::holds_alternative<Granted>(verdict.value());
  }
  static Granted grant_of(Result<engine::Verdict> verdict) {
    return std::get<Granted>(verdict.value());
  }
  static FencingToken in_half_an_hour() {
    const auto then = std::chrono::system_clock::now() + 30min;
    const auto span =
        std::chrono::floor<std::chrono::microseconds>(then.time_since_epoch());
    return {static_cast<std::uint64_t>(span.count())};
  }
  // Grants a claim with this token at one node alone, and drops it.
  void raise_last(std::size_t node, FencingToken token) {
    const auto session = FakeEngine(worlds_[node]).open({}).value();
    const auto resource = bind(*session);
    const Claim claim{.ticket = engine::Ticket{1}, .token = token};
    ASSERT_TRUE(is_granted(resource->attempt(claim, nullptr, soon())));
    ASSERT_TRUE(resource->drop(claim, soon()));
  }
  std::shared_ptr<engine::Resource> bind(engine::Session& session,
                                         Kind kind = Kind::mutex) {
    return session.bind({kind, "a"}).value();
  }
  std::size_t claims_at(std::size_t node, const std::string& name = "a") {
    return worlds_[node]->server.survey({Kind::mutex, name}, 10).value().size();
  }
  // A majority is enough for a grant; the other nodes follow later.
  bool granted_everywhere(const std::string& name = "a") {
    return eventually([&] {
      for (std::size_t i = 0; i < std::size(worlds_); ++i) {
        if (claims_at(i, name) == 0) return false;
      }
      return true;
    });
  }
  bool was_asked(std::size_t node) {
    return eventually([&] { return worlds_[node]->calls.attempt > 0; });
  }
  void unreachable(std::initializer_list<std::size_t> nodes, bool on = true) {
    for (const auto each : nodes) worlds_[each]->faults.unreachable = on;
  }

  std::shared_ptr<test::FakeWorld> worlds_[5];
  std::vector<std::unique_ptr<engine::Engine>> engines_;
  Claim claim_{.ticket = engine::Ticket{1}};
};

TEST_F(QuorumEngineTest, HasAtLeastThreeNodes) {
  std::vector<std::unique_ptr<engine::Engine>> nodes;
  for (int i = 0; i < 2; ++i) {
    nodes.push_back(std::make_unique<FakeEngine>(worlds_[i]));
  }
  const auto refused = make_engine(std::move(nodes));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_url);
}

TEST_F(QuorumEngineTest, OpensWithAMajorityAndUsesTheOthersWhenTheyCome) {
  unreachable({0, 3});
  const auto session = open();
  const auto resource = bind(*session);
  EXPECT_TRUE(is_granted(resource->attempt(claim_, nullptr, soon())));
  EXPECT_TRUE(resource->drop(claim_, soon()));
  unreachable({0, 3}, false);
  EXPECT_TRUE(eventually([&] {
    claim_.ticket = engine::Ticket{static_cast<std::uint64_t>(claim_.ticket) + 1};
    EXPECT_TRUE(is_granted(resource->attempt(claim_, nullptr, soon())));
    const bool there = claims_at(0) == 1 && claims_at(3) == 1;
    EXPECT_TRUE(resource->drop(claim_, soon()));
    return there;
  }));
}

TEST_F(QuorumEngineTest, DoesNotOpenWithLess) {
  unreachable({0, 3, 4});
  const auto refused = try_open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_THAT(refused.error().message(), HasSubstr("fewer than 3 of the 5 nodes"));
}

TEST_F(QuorumEngineTest, SaysWhatAMajorityCanPromise) {
  const auto session = open();
  for (const Kind kind : {Kind::mutex, Kind::election, Kind::shared_mutex}) {
    const auto traits = session->traits(kind);
    EXPECT_TRUE(traits.supported);
    EXPECT_TRUE(traits.survives);
    EXPECT_TRUE(traits.leased);
    EXPECT_TRUE(traits.fences);
    EXPECT_FALSE(traits.orders);
  }
  EXPECT_FALSE(session->traits(Kind::shared_mutex).process_queue)
      << "readers hold the lock together";
  for (const Kind kind : {Kind::fair_mutex, Kind::semaphore, Kind::double_barrier,
                          Kind::latch, Kind::counter}) {
    EXPECT_FALSE(session->traits(kind).supported);
    const auto resource = bind(*session, kind);
    EXPECT_EQ(resource->attempt(claim_, nullptr, soon()).error().code,
              Errc::unsupported);
    EXPECT_EQ(resource->load(soon()).error().code, Errc::unsupported);
  }
}

// Nodes that choose their tokens themselves cannot agree on one.
TEST_F(QuorumEngineTest, OneNodeThatCannotGrantNamedTokensTakesThemAway) {
  auto traits = FakeEngine::default_traits();
  traits.grants_named_tokens = false;
  worlds_[3] = FakeEngine::world(traits);
  const auto session = open();
  EXPECT_FALSE(session->traits(Kind::mutex).fences);
  claim_.tokens = 10;
  const auto granted = grant_of(bind(*session)->attempt(claim_, nullptr, soon()));
  EXPECT_FALSE(granted.token);
  EXPECT_EQ(granted.tokens, 1u);
}

TEST_F(QuorumEngineTest, TokensGrowWhicheverMajorityGrantsThem) {
  const auto first = open();
  const auto second = open();
  FencingToken last;
  for (std::size_t i = 0; i < 10; ++i) {
    unreachable({i % 5, (i + 1) % 5});
    const auto resource = bind(i % 3 == 0 ? *first : *second);
    const Claim claim{.ticket = engine::Ticket{i + 1}, .tokens = 10};
    Granted granted{};
    // A node is not asked while it has not confirmed the drop of the round before.
    ASSERT_TRUE(eventually([&] {
      const auto verdict = resource->attempt(claim, nullptr, soon());
      if (!verdict || !is_granted(verdict)) return false;
      granted = grant_of(verdict);
      return true;
    }));
    EXPECT_GT(granted.token, last);
    EXPECT_EQ(granted.tokens, 10u);
    last = {granted.token.value + 9};
    EXPECT_TRUE(resource->drop(claim, soon()));
    unreachable({i % 5, (i + 1) % 5}, false);
  }
}

TEST_F(QuorumEngineTest, ATokenCostsNoRoundOfItsOwn) {
  const auto session = open();
  const auto resource = bind(*session);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    const Claim claim{.ticket = engine::Ticket{i}};
    ASSERT_TRUE(grant_of(resource->attempt(claim, nullptr, soon())).token);
    ASSERT_TRUE(granted_everywhere());
    ASSERT_TRUE(resource->drop(claim, soon()));
    // A node that has not dropped the claim before in time is not asked at all.
    for (const auto& world : worlds_) EXPECT_LE(world->calls.attempt, int(i));
  }
}

// The nodes have seen a token of a client whose clock is ahead.
TEST_F(QuorumEngineTest, AClientWhoseClockIsBehindFollowsTheOthers) {
  const FencingToken ahead = in_half_an_hour();
  for (const std::size_t node : {1, 2, 3}) raise_last(node, ahead);
  const auto session = open();
  const auto resource = bind(*session);
  const auto granted = grant_of(resource->attempt(claim_, nullptr, soon()));
  EXPECT_GT(granted.token, ahead);
  ASSERT_TRUE(granted_everywhere());
  ASSERT_TRUE(resource->drop(claim_, soon()));

  const int before = worlds_[2]->calls.attempt;
  const auto other = session->bind({Kind::mutex, "b"}).value();
  claim_.ticket = engine::Ticket{2};
  EXPECT_GT(grant_of(other->attempt(claim_, nullptr, soon())).token, ahead);
  ASSERT_TRUE(granted_everywhere("b"));
  EXPECT_EQ(worlds_[2]->calls.attempt, before + 1) << "it is no longer behind";
}

TEST_F(QuorumEngineTest, ObserversSeeTheTokenOfTheMajority) {
  const auto session = open();
  const auto resource = bind(*session);
  const auto granted = grant_of(resource->attempt(claim_, nullptr, soon()));
  ASSERT_TRUE(granted_everywhere());
  const auto entries = resource->survey(10, soon()).value();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].token, granted.token);
}

TEST_F(QuorumEngineTest, AGrantHasATokenAndALease) {
  const auto session = open();
  const auto verdict = bind(*session)->attempt(claim_, nullptr, soon()).value();
  const auto& granted = std::get<Granted>(verdict);
  EXPECT_TRUE(granted.token);
  EXPECT_EQ(granted.tokens, 1u);
  EXPECT_LE(granted.lease, engine::SessionOptions{}.ttl);
  EXPECT_GT(granted.lease, engine::SessionOptions{}.ttl / 2);
}

TEST_F(QuorumEngineTest, AMinorityThatWasGrantedIsGivenBack) {
  const auto first = open();
  const auto second = open();
  unreachable({0, 1});
  ASSERT_TRUE(is_granted(bind(*first)->attempt(claim_, nullptr, soon())));
  ASSERT_TRUE(was_asked(0) && was_asked(1));
  unreachable({0, 1}, false);
  const auto refused = bind(*second)->attempt(claim_, nullptr, soon());
  EXPECT_FALSE(is_granted(refused));
  EXPECT_TRUE(eventually([&] { return claims_at(0) == 0 && claims_at(1) == 0; }));
}

TEST_F(QuorumEngineTest, WhatTooFewGrantedIsUnavailableAndGivenBack) {
  const auto session = open();
  unreachable({1, 2, 4});
  const auto refused = bind(*session)->attempt(claim_, nullptr, soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_THAT(refused.error().message(), HasSubstr("fewer than 3 of the 5 nodes"));
  EXPECT_THAT(refused.error().message(), HasSubstr("the quorum answered: node 2: "));
  EXPECT_TRUE(eventually([&] { return claims_at(0) == 0 && claims_at(3) == 0; }));
}

TEST_F(QuorumEngineTest, ALostReplyLeavesNothingThere) {
  const auto session = open();
  const auto resource = bind(*session);
  worlds_[2]->faults.lose_replies = 2;  // those of the attempt and of the first drop
  ASSERT_TRUE(is_granted(resource->attempt(claim_, nullptr, soon())));
  EXPECT_TRUE(resource->drop(claim_, soon()));
  EXPECT_TRUE(eventually([&] { return claims_at(2) == 0; }));
  EXPECT_EQ(resource->drop(claim_, soon()).error().code, Errc::not_held);
}

TEST_F(QuorumEngineTest, ADropThatTooFewConfirmCanBeRepeated) {
  const auto session = open();
  const auto resource = bind(*session);
  ASSERT_TRUE(is_granted(resource->attempt(claim_, nullptr, soon())));
  ASSERT_TRUE(granted_everywhere());
  unreachable({0, 1, 2});
  const auto unknown = resource->drop(claim_, soon());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::unavailable);
  unreachable({0, 1, 2}, false);
  EXPECT_TRUE(resource->drop(claim_, soon())) << "the claim was held until now";
}

TEST_F(QuorumEngineTest, ASlowNodeSlowsNoCaller) {
  const auto session = open();
  const auto resource = bind(*session);
  worlds_[4]->faults.delay = test::scaled(500ms);
  const auto start = Clock::now();
  ASSERT_TRUE(is_granted(resource->attempt(claim_, nullptr, soon())));
  EXPECT_TRUE(resource->drop(claim_, soon()));
  EXPECT_LT(Clock::now() - start, test::scaled(400ms));
}

TEST_F(QuorumEngineTest, EachClaimIsRenewedWhereAMajorityHasIt) {
  const auto session = open();
  const auto resource = bind(*session);
  const Claim other{.ticket = engine::Ticket{2}};
  const auto elsewhere = session->bind({Kind::mutex, "b"}).value();
  ASSERT_TRUE(is_granted(resource->attempt(claim_, nullptr, soon())));
  ASSERT_TRUE(is_granted(elsewhere->attempt(other, nullptr, soon())));
  ASSERT_TRUE(granted_everywhere("a") && granted_everywhere("b"));
  for (const std::size_t node : {0, 1, 2}) {
    const engine::Address b{Kind::mutex, "b"};
    const auto entries = worlds_[node]->server.survey(b, 1).value();
    ASSERT_TRUE(worlds_[node]->server.evict(b, entries.at(0).owner));
  }
  engine::ClaimRef refs[] = {{resource.get(), &claim_}, {elsewhere.get(), &other}};
  ASSERT_TRUE(session->renew(refs, soon()));
  EXPECT_FALSE(refs[0].outcome) << refs[0].outcome.message();
  EXPECT_LE(refs[0].granted.lease, engine::SessionOptions{}.ttl);
  EXPECT_GT(refs[0].granted.lease, engine::SessionOptions{}.ttl / 2);
  EXPECT_EQ(refs[1].outcome, Errc::not_held);
  unreachable({0, 1, 2});
  ASSERT_TRUE(session->renew({refs, 1}, soon()));
  EXPECT_EQ(refs[0].outcome, Errc::unavailable) << "the claim is not known to be lost";
}

TEST_F(QuorumEngineTest, AWaiterIsWokenByAMajority) {
  const auto first = open();
  const auto second = open();
  const auto held = bind(*first);
  const auto wanted = bind(*second);
  ASSERT_TRUE(is_granted(held->attempt(claim_, nullptr, soon())));
  ASSERT_TRUE(granted_everywhere());
  const auto signal = second->signal();
  const auto verdict = wanted->attempt(claim_, signal, soon());
  ASSERT_FALSE(is_granted(verdict));
  EXPECT_GT(std::get<Blocked>(*verdict).retry_after, 0ns);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(claims_at(i), 1u) << "a waiter is not in the queue of a node";
  }
  ASSERT_TRUE(held->drop(claim_, soon()));
  const auto start = Clock::now();
  signal->wait(start + test::patience());
  EXPECT_LT(Clock::now() - start, test::patience());
  EXPECT_TRUE(
      eventually([&] { return is_granted(wanted->attempt(claim_, signal, soon())); }));
  EXPECT_TRUE(wanted->drop(claim_, soon()));
}

}  // namespace
}  // namespace holdfast::quorum

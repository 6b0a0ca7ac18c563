// SPDX-License-Identifier: Apache-2.0

// Tokens grow whichever nodes grant them, whatever happens to the others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "faults/quorum/ground.h"
#include "holdfast/engine/session.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kTokenKey = "redisson_lock_token:{a}";

std::uint64_t us_from_now(std::chrono::microseconds span) {
  const auto then = std::chrono::system_clock::now() + span;
  return static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::microseconds>(then.time_since_epoch()).count());
}

class QuorumTokens : public Five {
 protected:
  // Returns the token of a hold that is released again.
  static FencingToken token_of(Mutex& mutex) {
    auto hold = mutex.acquire({.wait = patience()});
    if (!hold) ADD_FAILURE() << hold.error().message();
    return hold ? hold->token() : FencingToken{};
  }
  void set_last(std::size_t node, std::uint64_t token) {
    ASSERT_EQ(servers_[node].command({"SET", kTokenKey, std::to_string(token)}), "OK");
  }
  // Returns 0 if there is none.
  std::uint64_t last_of(std::size_t node) const {
    return std::strtoull(servers_[node].command({"GET", kTokenKey}).c_str(), nullptr,
                         10);
  }
};

// Each majority has one node in common with the one before.
TEST_F(QuorumTokens, GrowOverMajoritiesThatChange) {
  const Client clients[] = {open(), open()};
  FencingToken last;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t stopped[] = {2 * i % kNodes, (2 * i + 1) % kNodes};
    for (const std::size_t each : stopped) servers_[each].pause();
    Mutex mutex(clients[i % 2], "a");
    const FencingToken token = token_of(mutex);
    EXPECT_GT(token, last) << "round " << i;
    last = token;
    for (const std::size_t each : stopped) servers_[each].resume();
  }
}

TEST_F(QuorumTokens, GrowOverNodesThatDieBetweenTwoGrants) {
  const Client one = open();
  const Client two = open();
  Mutex first(one, "a");
  Mutex second(two, "a");
  auto hold = first.acquire().value();
  const FencingToken before = hold.token();
  servers_[0].kill();
  servers_[1].kill();
  EXPECT_TRUE(hold.release());
  const FencingToken after = token_of(second);
  EXPECT_GT(after, before);
  servers_[0].start();
  servers_[1].start();
  servers_[2].kill();
  EXPECT_GT(token_of(first), after) << "two of its nodes have forgotten everything";
}

// The clients read their tokens from the time, so a node that has forgotten the last
// one does not make them go back.
TEST_F(QuorumTokens, GrowOverNodesThatRestartEmpty) {
  Mutex mutex(open(), "a");
  FencingToken last = token_of(mutex);
  for (std::size_t i = 0; i < kNodes; ++i) {
    servers_[i].kill();
    servers_[i].start();
    const FencingToken token = token_of(mutex);
    EXPECT_GT(token, last);
    last = token;
  }
}

// A client of an older version names no token, so each node chooses one.
TEST_F(QuorumTokens, GrowOverClaimsThatNameNone) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    Mutex alone(open_quietly(servers_[i].url(), scaled(30s)), "a");
    set_last(i, us_from_now(std::chrono::minutes(i)));
    largest = std::max(largest, token_of(alone).value);
  }
  Mutex mutex(open(), "a");
  EXPECT_GT(token_of(mutex).value, us_from_now(1min))
      << "a majority has seen tokens of that time";
  EXPECT_GT(token_of(mutex).value, us_from_now(1min));
  EXPECT_LT(token_of(mutex).value, largest + 60'000'000);
}

// A client whose clock is behind costs one round more, and only its first claim.
TEST_F(QuorumTokens, OfASlowClockAreNamedOnceMore) {
  for (std::size_t i = 0; i < kNodes; ++i) set_last(i, us_from_now(10min));
  Mutex mutex(open(), "a");
  EXPECT_GT(token_of(mutex).value, us_from_now(9min));
  for (const RedisServer& each : servers_) each.command({"CONFIG", "RESETSTAT"});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(token_of(mutex));
  // A node that is late may be passed over, and drops of the first claim may come late.
  long most = 0;
  for (const RedisServer& each : servers_) {
    most = std::max(most, each.calls("evalsha"));
  }
  EXPECT_GE(most, 10);
  EXPECT_LT(most, 30) << "more than an attempt and a drop for each";
}

// A node that is ahead refuses the token that a majority grants, and is passed over.
// When it is needed for the majority, the client follows it.
TEST_F(QuorumTokens, OfOneNodeThatIsAheadAreFollowedWhereItIsNeeded) {
  set_last(0, us_from_now(10min));
  Mutex mutex(open(), "a");
  FencingToken last = token_of(mutex);
  EXPECT_LT(last.value, us_from_now(9min));
  servers_[1].kill();
  servers_[1].start();  // it has forgotten everything
  FencingToken next = token_of(mutex);
  EXPECT_GT(next, last);
  servers_[3].kill();
  servers_[4].kill();
  last = next;
  next = token_of(mutex);
  EXPECT_GT(next, last);
  EXPECT_GT(next.value, us_from_now(9min)) << "the node that is ahead is needed";
  servers_[0].kill();
  servers_[3].start();
  EXPECT_GT(token_of(mutex), next) << "although the node that is ahead is gone";
}

TEST_F(QuorumTokens, OfOneNodeThatIsFarAheadLeaveItOut) {
  set_last(0, us_from_now(2h));
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_LT(hold->token().value, us_from_now(1min));
  EXPECT_FALSE(Mutex(open(), "a").try_lock()) << "it is held by the other nodes";
  EXPECT_TRUE(hold->release());
  EXPECT_GT(token_of(mutex), hold->token());
}

TEST_F(QuorumTokens, FarAheadOfTheNodesClocksAreRefused) {
  for (std::size_t i = 0; i < kNodes; ++i) set_last(i, us_from_now(2h));
  Mutex mutex(open(), "a");
  const auto refused = mutex.acquire({.wait = patience()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_argument);
  EXPECT_THAT(refused.error().message(), HasSubstr("set the clocks"));
  EXPECT_THAT(refused.error().message(), HasSubstr("\"a\""));
  for (std::size_t i = 0; i < kNodes; ++i) EXPECT_TRUE(is_clean(i));
}

// A node may forget a token after its time, and not while it is above the clock.
TEST_F(QuorumTokens, AreNotForgottenWhileTheyAreAhead) {
  const Client node = open_quietly(servers_[0].url("?token_ttl=1ms"), scaled(30s));
  const auto resource = node.session().bind({engine::Kind::mutex, "a"}).value();
  for (std::uint64_t i = 1; i <= 2; ++i) {
    const engine::Claim claim{.ticket = engine::Ticket{i},
                              .token = {us_from_now(60s * i)}};
    const auto until = Clock::now() + patience();
    const auto verdict = resource->attempt(claim, nullptr, until).value();
    ASSERT_TRUE(std::holds_alternative<engine::Granted>(verdict));
    ASSERT_TRUE(resource->drop(claim, until));
    const long left = std::stol(servers_[0].command({"PTTL", kTokenKey}));
    EXPECT_GT(left, static_cast<long>(50'000 * i));
    EXPECT_LT(left, static_cast<long>(70'000 * i));
  }
}

// A node without a last token may have forgotten one that is a second old.
TEST_F(QuorumTokens, OfANodeThatHasForgottenAreNotOld) {
  const Client node = open_quietly(servers_[0].url(), scaled(30s));
  const auto resource = node.session().bind({engine::Kind::mutex, "a"}).value();
  const engine::Claim claim{.ticket = engine::Ticket{1}, .token = {us_from_now(-5s)}};
  const auto verdict =
      resource->attempt(claim, nullptr, Clock::now() + patience()).value();
  ASSERT_TRUE(std::holds_alternative<engine::TokenBehind>(verdict));
  EXPECT_GT(std::get<engine::TokenBehind>(verdict).last.value, us_from_now(-2s));
}

TEST_F(QuorumTokens, OfReadersAreBetweenThoseOfWriters) {
  const Client one = open();
  const Client two = open();
  SharedMutex first(one, "a");
  SharedMutex second(two, "a");
  FencingToken last;
  for (int i = 0; i < 5; ++i) {
    const FencingToken written = first.acquire().value().token();
    EXPECT_GT(written, last);
    auto reader = first.acquire_shared().value();
    auto other = second.acquire_shared().value();
    EXPECT_GE(reader.token(), written);
    EXPECT_GE(other.token(), written);
    last = std::max(reader.token(), other.token());
  }
}

// Every node that has granted a claim has exactly its token.
TEST_F(QuorumTokens, AreTheSameAtEveryNode) {
  Mutex mutex(open(), "a");
  const auto hold = mutex.acquire().value();
  for (std::size_t i = 0; i < kNodes; ++i) {
    EXPECT_TRUE(eventually([&] { return last_of(i) == hold.token().value + 63; }))
        << "the last one of its block, at node " << i;
  }
}

}  // namespace
}  // namespace holdfast::test

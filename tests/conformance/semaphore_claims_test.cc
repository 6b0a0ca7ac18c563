// SPDX-License-Identifier: Apache-2.0

// These are the rules of counted claims.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <variant>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

class SemaphoreClaims : public Conformance {
 protected:
  ClaimLock permits(std::uint32_t number, std::uint32_t capacity = 3) {
    return {open(), address(), {.permits = number, .capacity = capacity}};
  }
  engine::Address address() const { return {engine::Kind::semaphore, name("a")}; }
};

HOLDFAST_CONFORMANCE(SemaphoreClaims);

TEST_P(SemaphoreClaims, IsFullAtItsCapacity) {
  auto first = permits(1);
  auto second = permits(1);
  auto third = permits(1);
  auto fourth = permits(1);
  EXPECT_TRUE(first.acquire(kNow));
  EXPECT_TRUE(second.acquire(kNow));
  EXPECT_TRUE(third.acquire(kNow));
  EXPECT_FALSE(fourth.acquire(kNow));
}

TEST_P(SemaphoreClaims, TheMiddleHolderMayLeaveFirst) {
  auto first = permits(1);
  auto second = permits(1);
  auto third = permits(1);
  auto fourth = permits(1);
  ASSERT_TRUE(first.begin());
  ASSERT_TRUE(second.begin());
  ASSERT_TRUE(third.begin());
  ASSERT_FALSE(fourth.begin());
  ASSERT_TRUE(second.release());
  EXPECT_TRUE(fourth.again());
  EXPECT_FALSE(second.acquire(kNow));
}

TEST_P(SemaphoreClaims, TakesAllOrNothing) {
  auto two = permits(2);
  auto also_two = permits(2);
  auto one = permits(1);
  ASSERT_TRUE(two.begin());
  EXPECT_FALSE(also_two.acquire(kNow));
  EXPECT_TRUE(one.acquire(kNow)) << "a refused request must not keep permits";
}

TEST_P(SemaphoreClaims, ALargeRequestIsNotStarved) {
  auto first = permits(1);
  auto all = permits(3);
  auto late = permits(1);
  ASSERT_TRUE(first.begin());
  ASSERT_FALSE(all.begin());
  EXPECT_FALSE(late.begin()) << "two permits are free, but a waiter wants them";
  ASSERT_TRUE(first.release());
  EXPECT_TRUE(all.again());
  EXPECT_FALSE(late.again());
  ASSERT_TRUE(all.release());
  EXPECT_TRUE(late.again());
}

TEST_P(SemaphoreClaims, AReleaseLetsInAsManyAsFit) {
  auto all = permits(3);
  auto first = permits(1);
  auto second = permits(2);
  auto third = permits(1);
  ASSERT_TRUE(all.begin());
  ASSERT_FALSE(first.begin());
  ASSERT_FALSE(second.begin());
  ASSERT_FALSE(third.begin());
  ASSERT_TRUE(all.release());
  EXPECT_TRUE(first.again());
  EXPECT_TRUE(second.again());
  EXPECT_FALSE(third.again());
}

TEST_P(SemaphoreClaims, MoreThanThereAreIsAnError) {
  auto claim = permits(4);
  const auto refused = claim.acquire(kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_argument) << refused.error().message();
  const auto never = claim.acquire({.wait = patience()});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code, Errc::bad_argument) << never.error().message();
  EXPECT_TRUE(survey(open(), address()).empty());
}

TEST_P(SemaphoreClaims, FewerPermitsLetOthersIn) {
  auto all = permits(3);
  auto one = permits(1);
  ASSERT_TRUE(all.begin());
  ASSERT_FALSE(one.begin());
  engine::Claim wanted = all.claim();
  wanted.permits = 2;
  ASSERT_TRUE(all.resource().amend(all.claim(), wanted, soon()));
  EXPECT_TRUE(one.again());
}

TEST_P(SemaphoreClaims, AGrantSaysWhatCapacityIsStored) {
  const Client client = open();
  const auto resource = client.session().bind(address()).value();
  const engine::Waker waker = client.session().signal();
  const auto attempt = [&](const engine::Claim& claim) {
    return resource->attempt(claim, waker, soon()).value();
  };
  const auto capacity_of = [&](const engine::Claim& claim) {
    return std::get<engine::Granted>(attempt(claim)).capacity;
  };
  const engine::Claim first{.ticket = next_ticket(), .permits = 2, .capacity = 3};
  const engine::Claim other{.ticket = next_ticket(), .capacity = 9};
  const engine::Claim waiter{.ticket = next_ticket(), .capacity = 9};
  const engine::Claim stateless{.ticket = next_ticket()};
  EXPECT_EQ(capacity_of(first), 3u);
  EXPECT_EQ(capacity_of(other), 3u);
  EXPECT_EQ(capacity_of(other), 3u) << "by the same attempt again";
  ASSERT_TRUE(std::holds_alternative<engine::Blocked>(attempt(waiter)));
  ASSERT_TRUE(resource->drop(first, soon()));
  EXPECT_TRUE(eventually(
      [&] { return std::holds_alternative<engine::Granted>(attempt(waiter)); }));
  EXPECT_EQ(capacity_of(waiter), 3u) << "after a wait";
  EXPECT_EQ(capacity_of(stateless), 3u) << "though it states none";
  for (const engine::Claim& each : {other, waiter, stateless}) {
    EXPECT_TRUE(resource->drop(each, soon()));
  }
}

TEST_P(SemaphoreClaims, DoNotBecomeLarger) {
  auto one = permits(1);
  auto two = permits(2);
  ASSERT_TRUE(one.begin());
  ASSERT_TRUE(two.begin());
  engine::Claim wanted = one.claim();
  wanted.permits = 2;
  const auto amended = one.resource().amend(one.claim(), wanted, soon());
  ASSERT_FALSE(amended);
  EXPECT_EQ(amended.error().code, Errc::unsupported) << amended.error().message();
  ASSERT_TRUE(two.release());
  EXPECT_TRUE(two.acquire(kNow)) << "there were two of three";
}

TEST_P(SemaphoreClaims, AnEvictedOneGivesAllItsPermitsBack) {
  auto all = permits(3);
  auto next = permits(3);
  ASSERT_TRUE(all.begin());
  ASSERT_FALSE(next.begin());
  const auto entries = survey(open(), address());
  ASSERT_FALSE(entries.empty());
  ASSERT_TRUE(next.resource().evict(entries.front().owner, soon()));
  EXPECT_TRUE(next.again());
  const auto released = all.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);
  EXPECT_EQ(survey(open(), address()).size(), 1u) << "the claim that came after it";
}

TEST_P(SemaphoreClaims, AnEvictedOneDoesNotComeBackByAChange) {
  auto two = permits(2);
  auto all = permits(3);
  ASSERT_TRUE(two.begin());
  const auto entries = survey(open(), address());
  ASSERT_EQ(entries.size(), 1u);
  ASSERT_TRUE(all.resource().evict(entries.front().owner, soon()));
  engine::Claim wanted = two.claim();
  wanted.permits = 1;
  const auto amended = two.resource().amend(two.claim(), wanted, soon());
  ASSERT_FALSE(amended);
  EXPECT_EQ(amended.error().code, Errc::not_held) << amended.error().message();
  EXPECT_TRUE(all.acquire(kNow));
}

TEST_P(SemaphoreClaims, IsNeverAboveItsCapacityAndReachesIt) {
  std::atomic<int> inside{0};
  std::atomic<int> peak{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        auto mine = permits(1);
        for (int j = 0; j < 30; ++j) {
          ASSERT_TRUE(mine.acquire({.wait = patience()}));
          const int now = ++inside;
          EXPECT_LE(now, 3);
          for (int seen = peak; seen < now && !peak.compare_exchange_weak(seen, now);) {
          }
          // Every holder stays until the semaphore has been full once.
          EXPECT_TRUE(eventually([&] { return peak == 3; }));
          --inside;
          ASSERT_TRUE(mine.release());
        }
      });
    }
  }
  EXPECT_EQ(peak, 3);
}

}  // namespace
}  // namespace holdfast::test

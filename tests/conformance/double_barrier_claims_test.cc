// SPDX-License-Identifier: Apache-2.0

// The parties of a double barrier go in together.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "conformance/conformance.h"

namespace holdfast::test {
namespace {

class DoubleBarrierClaims : public Conformance {
 protected:
  ClaimLock party() { return {open(), address(), {.capacity = 3}}; }
  engine::Address address() const { return {engine::Kind::double_barrier, name("a")}; }
};

HOLDFAST_CONFORMANCE(DoubleBarrierClaims);

TEST_P(DoubleBarrierClaims, NoPartyIsInBeforeTheLastOneIsHere) {
  auto first = party();
  auto second = party();
  auto third = party();
  EXPECT_FALSE(first.begin());
  EXPECT_FALSE(second.begin());
  EXPECT_FALSE(first.again());
  EXPECT_TRUE(third.begin());
  EXPECT_TRUE(first.again());
  EXPECT_TRUE(second.again());
}

TEST_P(DoubleBarrierClaims, AllAreGrantedOnceItIsComplete) {
  const Client observer = open();
  const auto granted = [&] {
    return std::ranges::count(survey(observer, address()), true,
                              &engine::Entry::granted);
  };
  auto first = party();
  auto second = party();
  auto third = party();
  ASSERT_FALSE(first.begin());
  ASSERT_FALSE(second.begin());
  EXPECT_EQ(survey(observer, address()).size(), 2u);
  EXPECT_EQ(granted(), 0);
  ASSERT_TRUE(third.begin());
  EXPECT_EQ(survey(observer, address()).size(), 3u);
  EXPECT_EQ(granted(), 3) << "also of those that have not asked again";
  ASSERT_TRUE(third.release());
  EXPECT_EQ(granted(), 2);
}

TEST_P(DoubleBarrierClaims, APartyThatGivesUpIsNotCounted) {
  auto first = party();
  auto second = party();
  auto third = party();
  auto fourth = party();
  EXPECT_FALSE(first.begin());
  EXPECT_FALSE(second.begin());
  ASSERT_TRUE(first.release());
  EXPECT_FALSE(third.begin());
  EXPECT_TRUE(fourth.begin());
}

TEST_P(DoubleBarrierClaims, TheSlowOneGetsInAfterTheQuickOneHasLeft) {
  auto first = party();
  auto second = party();
  auto third = party();
  EXPECT_FALSE(first.begin());
  EXPECT_FALSE(second.begin());
  EXPECT_TRUE(third.begin());
  ASSERT_TRUE(third.release());
  EXPECT_TRUE(first.again());
  ASSERT_TRUE(first.release());
  EXPECT_TRUE(second.again());
}

TEST_P(DoubleBarrierClaims, WakesItsWaiters) {
  std::atomic<int> here{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      auto mine = party();
      ++here;
      EXPECT_TRUE(mine.acquire({.wait = patience()}));
      EXPECT_EQ(here, 3);
    });
  }
}

}  // namespace
}  // namespace holdfast::test

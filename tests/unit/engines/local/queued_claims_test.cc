// SPDX-License-Identifier: Apache-2.0

#include "engines/local/queued_claims.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace holdfast::local {
namespace {

using Queued = QueuedClaims::Queued;

constexpr std::uint64_t kMany = 5'000;

class LocalQueuedClaims : public testing::Test {
 protected:
  struct Quiet final : engine::Signal {
    void ring() noexcept override {}
    void wait(engine::Deadline) noexcept override {}
  };

  void wait_for(std::uint64_t ticket) {
    claims_.note(ticket, cell(ticket));
    claims_.await(ticket, waker_, 7);
  }
  static BlockIndex cell(std::uint64_t ticket) {
    return static_cast<BlockIndex>(ticket + 100);
  }

  const engine::Waker waker_ = std::make_shared<Quiet>();
  QueuedClaims claims_;
};

TEST_F(LocalQueuedClaims, OneIsLookedAtHoweverManyWait) {
  for (std::uint64_t ticket = 1; ticket <= kMany; ++ticket) wait_for(ticket);
  std::vector<BlockIndex> looked;
  claims_.look_at(77, [&](const Queued& queued) {
    looked.push_back(queued.cell);
    return true;
  });
  EXPECT_EQ(looked, std::vector{cell(77)});
}

TEST_F(LocalQueuedClaims, SomeLooksSeeAll) {
  for (std::uint64_t ticket = 1; ticket <= kMany; ++ticket) wait_for(ticket);
  std::set<BlockIndex> seen;
  for (int round = 0; round < 10; ++round) {
    std::size_t looked = 0;
    claims_.look_at_some(kMany / 10, [&](const Queued& queued) {
      ++looked;
      seen.insert(queued.cell);
      return true;
    });
    EXPECT_LT(looked, kMany / 5);
  }
  EXPECT_EQ(seen.size(), kMany);
}

TEST_F(LocalQueuedClaims, AFewAreAllSeenAtOnce) {
  for (std::uint64_t ticket = 1; ticket <= 3; ++ticket) wait_for(ticket);
  for (int round = 0; round < 3; ++round) {
    int looked = 0;
    claims_.look_at_some(1'000, [&](const Queued&) {
      ++looked;
      return true;
    });
    EXPECT_EQ(looked, 3);
  }
}

TEST_F(LocalQueuedClaims, OneThatWaitsNoLongerIsNotLookedAtAgain) {
  wait_for(1);
  wait_for(2);
  claims_.note(3, cell(3));  // It never waits.
  const auto ends = [](const Queued&) { return false; };
  claims_.look_at(1, ends);
  EXPECT_TRUE(claims_.any_waits());
  int looked = 0;
  claims_.look_at_all([&](const Queued&) {
    ++looked;
    return false;
  });
  EXPECT_EQ(looked, 1);
  EXPECT_FALSE(claims_.any_waits());
  EXPECT_EQ(claims_.cell_of(1), cell(1));
}

TEST_F(LocalQueuedClaims, NoneWaitsWhenAllAreForgottenOrNotedAnew) {
  wait_for(1);
  wait_for(1);
  wait_for(2);
  claims_.forget(1);
  EXPECT_TRUE(claims_.any_waits());
  claims_.note(2, cell(9));
  EXPECT_FALSE(claims_.any_waits());
  EXPECT_EQ(claims_.cell_of(1), 0U);
  EXPECT_EQ(claims_.cell_of(2), cell(9));
  EXPECT_FALSE(claims_.await(1, waker_, 7));
}

}  // namespace
}  // namespace holdfast::local

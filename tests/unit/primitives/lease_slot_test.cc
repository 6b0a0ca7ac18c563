// SPDX-License-Identifier: Apache-2.0

#include "primitives/lease_slot.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/client_state.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast::primitives {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Sort;

class LeaseSlotTest : public testing::TestWithParam<Sort> {
 protected:
  Result<void> take(Timeout wait = Timeout::forever()) {
    return slot.take({lease, wait, nullptr, false});
  }
  Result<void> give_up() { return slot.give_up(core::Confirm::yes); }

  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  Client client = test::join(world);
  LeaseSlot slot{test::bind(client, "a")};
  const LeaseOptions lease{};
};

INSTANTIATE_TEST_SUITE_P(Sorts, LeaseSlotTest,
                         testing::Values(Sort::leased_with_gate, Sort::leased,
                                         Sort::with_gate, Sort::plain));

TEST_P(LeaseSlotTest, IsTakenAndGivenUp) {
  EXPECT_EQ(give_up().error().code, Errc::not_held);
  ASSERT_TRUE(take());
  EXPECT_TRUE(slot.token());
  EXPECT_TRUE(slot.intact());
  EXPECT_EQ(take(Timeout::zero()).error().code, Errc::timed_out);
  EXPECT_TRUE(give_up());
  EXPECT_FALSE(slot.token());
  EXPECT_FALSE(slot.intact());
  EXPECT_TRUE(slot.lost().stop_requested());
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(LeaseSlotTest, ALossIsSeenByCallersOfLost) {
  ASSERT_TRUE(take());
  const auto lost = slot.lost();
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_TRUE(slot.lost().stop_possible());
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_FALSE(slot.intact());
  EXPECT_EQ(give_up().error().code, Errc::not_held);
}

TEST_P(LeaseSlotTest, GivingUpRequestsTheTokensOfLost) {
  ASSERT_TRUE(take());
  const auto lost = slot.lost();
  ASSERT_TRUE(give_up());
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
}

TEST_P(LeaseSlotTest, AStaleGiveUpDoesNotEndTheNextHold) {
  ASSERT_TRUE(take());
  const auto lost = slot.lost();
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  ASSERT_TRUE(take(test::patience())) << "another thread could not take the slot";
  const auto token = slot.token();
  EXPECT_TRUE(give_up()) << "the late call of the first thread failed";
  EXPECT_EQ(test::places(world, "a"), 1u);
  EXPECT_EQ(slot.token(), token);
  EXPECT_TRUE(slot.intact());
  EXPECT_TRUE(give_up()) << "the call of the second thread failed";
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(LeaseSlotTest, ManyHoldsDisplaceEachOther) {
  const LeaseOptions fixed = LeaseOptions::fixed(test::scaled(10s));
  const LeaseOptions* const order[] = {&lease, &fixed, &lease, &fixed, &fixed, &lease};
  for (const LeaseOptions* each : order) {
    if (test::places(world, "a") > 0) {
      const auto lost = slot.lost();
      test::evict(world, "a");
      ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
    }
    ASSERT_TRUE(slot.take({*each, test::patience()}));
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(give_up());
    EXPECT_EQ(test::places(world, "a"), 1u) << i;
  }
  EXPECT_TRUE(give_up());
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(LeaseSlotTest, ThreadsExcludeEachOtherAndMayWatch) {
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 100; ++j) {
          take().value();
          ++count;
          if (j % 10 == 0) (void)slot.lost();
          give_up().value();
        }
      });
    }
    threads.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        (void)slot.lost();
        (void)slot.token();
        std::this_thread::yield();
      }
    });
  }
  EXPECT_EQ(count, 400);
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(LeaseSlotTest, TheDestructorReleases) {
  {
    LeaseSlot other(test::bind(client, "b"));
    ASSERT_TRUE(other.take({lease}));
  }
  EXPECT_EQ(test::places(world, "b"), 0u);
}

}  // namespace
}  // namespace holdfast::primitives

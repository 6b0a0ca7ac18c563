// SPDX-License-Identifier: Apache-2.0

#include "primitives/light_lock.h"

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

class LightLockTest : public testing::Test {
 protected:
  Result<void> take(Timeout wait = Timeout::forever()) {
    return light.take({lease, wait, nullptr, false});
  }
  Result<void> give_up() { return light.give_up(core::Confirm::yes); }

  const std::shared_ptr<test::FakeWorld> world = test::make_world(Sort::plain);
  Client client = test::join(world);
  LightLock light{test::bind(client, "a")};
  const LeaseOptions lease{};
};

TEST_F(LightLockTest, IsTakenAndGivenUp) {
  EXPECT_EQ(give_up().error().code, Errc::not_held);
  ASSERT_TRUE(take());
  EXPECT_TRUE(light.token());
  EXPECT_TRUE(light.intact());
  EXPECT_EQ(take(Timeout::zero()).error().code, Errc::timed_out);
  EXPECT_TRUE(give_up());
  EXPECT_FALSE(light.token());
  EXPECT_FALSE(light.intact());
  EXPECT_TRUE(light.lost().stop_requested());
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_F(LightLockTest, FitsWhereNothingEndsByTimeAndNoThreadQueues) {
  const LeaseOptions fixed = LeaseOptions::fixed(1s);
  const LeaseOptions capped{.cap = 1h};
  for (const Sort sort :
       {Sort::leased_with_gate, Sort::leased, Sort::with_gate, Sort::plain}) {
    const Client other = test::join(test::make_world(sort));
    const auto bound = test::bind(other, "a");
    EXPECT_EQ(LightLock::fits(*bound, lease), sort == Sort::plain);
    EXPECT_FALSE(LightLock::fits(*bound, fixed));
    EXPECT_FALSE(LightLock::fits(*bound, capped));
  }
}

TEST_F(LightLockTest, TakeAtOnceMakesOneAttempt) {
  EXPECT_TRUE(light.take_at_once());
  EXPECT_EQ(world->calls.attempt, 1);
  EXPECT_FALSE(light.take_at_once()) << "it is taken";
  EXPECT_EQ(test::places(world, "a"), 1u);
}

TEST_F(LightLockTest, TakeAtOnceOfAnEngineThatThrowsLeavesNoTrace) {
  world->faults.throw_late = 1;
  EXPECT_FALSE(light.take_at_once());
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
  EXPECT_TRUE(light.take_at_once());
}

TEST_F(LightLockTest, AHoldThatBecameALeaseKeepsItsTokenAndItsClaim) {
  ASSERT_TRUE(light.take_at_once());
  const auto token = light.token();
  EXPECT_FALSE(light.lost().stop_requested());
  EXPECT_EQ(light.token(), token);
  EXPECT_TRUE(light.intact());
  EXPECT_EQ(world->calls.attempt, 1);
  EXPECT_TRUE(give_up());
  EXPECT_EQ(world->calls.drop, 1);
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_F(LightLockTest, ClosingTakesBackEitherKindOfHold) {
  LightLock watched{test::bind(client, "b")};
  ASSERT_TRUE(take());
  ASSERT_TRUE(watched.take_at_once());
  const auto lost = watched.lost();
  client.close();
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(test::places(world, "a"), 0u);
  EXPECT_EQ(test::places(world, "b"), 0u);
  EXPECT_EQ(give_up().error().code, Errc::not_held);
  EXPECT_EQ(watched.give_up(core::Confirm::yes).error().code, Errc::not_held);
}

TEST_F(LightLockTest, ALossIsSeenByCallersOfLost) {
  ASSERT_TRUE(take());
  const auto lost = light.lost();
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_TRUE(light.lost().stop_possible());
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_FALSE(light.intact());
  EXPECT_EQ(give_up().error().code, Errc::not_held);
}

TEST_F(LightLockTest, GivingUpRequestsTheTokensOfLost) {
  ASSERT_TRUE(take());
  const auto lost = light.lost();
  ASSERT_TRUE(give_up());
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
}

TEST_F(LightLockTest, AStaleGiveUpDoesNotEndTheNextHold) {
  ASSERT_TRUE(take());
  const auto lost = light.lost();
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  ASSERT_TRUE(take(test::patience())) << "another thread could not take the lock";
  const auto token = light.token();
  EXPECT_TRUE(give_up()) << "the late call of the first thread failed";
  EXPECT_EQ(test::places(world, "a"), 1u);
  EXPECT_EQ(light.token(), token);
  EXPECT_TRUE(light.intact());
  EXPECT_TRUE(give_up()) << "the call of the second thread failed";
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_F(LightLockTest, LightHoldsAndLeasesDisplaceEachOther) {
  for (int i = 0; i < 6; ++i) {
    if (i > 0) {
      const bool watched = i % 3 != 0;
      const auto lost = watched ? light.lost() : std::stop_token();
      test::evict(world, "a");
      ASSERT_TRUE(!watched || eventually([&] { return lost.stop_requested(); }));
    }
    ASSERT_TRUE(take(test::patience()));
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(give_up());
    EXPECT_EQ(test::places(world, "a"), 1u) << i;
  }
  EXPECT_TRUE(give_up());
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_F(LightLockTest, ThreadsExcludeEachOtherAndMayWatch) {
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 100; ++j) {
          if (!light.take_at_once()) take().value();
          ++count;
          if (j % 10 == 0) (void)light.lost();
          give_up().value();
        }
      });
    }
    threads.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        (void)light.lost();
        (void)light.token();
        std::this_thread::yield();
      }
    });
  }
  EXPECT_EQ(count, 400);
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_F(LightLockTest, TheDestructorReleases) {
  {
    LightLock other(test::bind(client, "b"));
    ASSERT_TRUE(other.take({lease}));
  }
  EXPECT_EQ(test::places(world, "b"), 0u);
}

}  // namespace
}  // namespace holdfast::primitives

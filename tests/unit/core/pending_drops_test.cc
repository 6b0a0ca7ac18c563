// SPDX-License-Identifier: Apache-2.0

#include "core/pending_drops.h"

#include <gtest/gtest.h>

#include <memory>

#include "holdfast/mutex.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

class PendingDropsTest : public testing::Test {
 protected:
  PendingDrops::Drop drop_at(Time due) { return {{bound, {}}, due}; }

  const std::shared_ptr<test::FakeWorld> world = test::make_world(test::Sort::leased);
  const Client client = test::join(world);
  const BoundResourcePtr bound = test::bind(client, "a");
  const Time now = Clock::now();
  PendingDrops drops;
};

TEST_F(PendingDropsTest, AreTakenWhenTheyAreDue) {
  EXPECT_TRUE(drops.done());
  drops.add(drop_at(now + 1s));
  drops.add(drop_at(now));
  EXPECT_FALSE(drops.done());
  ASSERT_TRUE(drops.take_due(now));
  EXPECT_FALSE(drops.take_due(now));
  EXPECT_EQ(drops.take_all().size(), 1u);
  EXPECT_TRUE(drops.done());
}

TEST_F(PendingDropsTest, HaveAWorkerEachAndFourAtMost) {
  int started = 0;
  const auto start = [&] { return ++started > 0; };
  EXPECT_EQ(drops.start_workers(now, start), Time::max());
  EXPECT_EQ(started, 0);
  drops.add(drop_at(now + 1s));
  drops.add(drop_at(now));
  EXPECT_EQ(drops.start_workers(now, start), now + 1s);
  EXPECT_EQ(started, 1);
  for (int i = 0; i < 9; ++i) drops.add(drop_at(now));
  (void)drops.start_workers(now, start);
  EXPECT_EQ(started, 4);
  (void)drops.take_all();
  EXPECT_FALSE(drops.done()) << "workers may still have some of them";
  for (int i = 0; i < 4; ++i) drops.worker_ended();
  EXPECT_TRUE(drops.done());
}

TEST_F(PendingDropsTest, WaitForAThreadThatTheSystemDoesNotGive) {
  drops.add(drop_at(now));
  const Time again = drops.start_workers(now, [] { return false; });
  EXPECT_GT(again, now);
  EXPECT_LT(again, now + 1s);
  EXPECT_TRUE(drops.take_due(now));
  EXPECT_TRUE(drops.done());
}

TEST_F(PendingDropsTest, AreRepeatedWithGrowingPausesUntilTheyAreConfirmed) {
  auto drop = drop_at(now);
  world->faults.unreachable = true;
  auto before = Clock::duration::zero();
  for (int i = 1; i <= 3; ++i) {
    const auto sent = Clock::now();
    const auto why = PendingDrops::send(drop, 1s);
    ASSERT_TRUE(why);
    EXPECT_EQ(why->code, Errc::unavailable);
    EXPECT_EQ(drop.failures, i);
    EXPECT_GT(drop.due - sent, before);
    before = drop.due - Clock::now();
  }
  world->faults.unreachable = false;
  EXPECT_FALSE(PendingDrops::send(drop, 1s));
}

}  // namespace
}  // namespace holdfast::core

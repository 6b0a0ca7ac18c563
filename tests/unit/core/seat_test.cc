#include "core/seat.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/hub.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Sort;

class SeatTest : public testing::TestWithParam<Sort> {
 protected:
  Result<void> take(Timeout wait = Timeout::forever()) {
    return seat.take({lease, wait, nullptr, false});
  }
  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  Client client = test::join(world);
  Seat seat{test::bind(client, "a")};
  const LeaseOptions lease{};
};

INSTANTIATE_TEST_SUITE_P(Sorts, SeatTest,
                         testing::Values(Sort::leased_gated, Sort::leased, Sort::gated,
                                         Sort::plain));

TEST_P(SeatTest, IsTakenAndGivenUp) {
  EXPECT_EQ(seat.give_up().error().code, Errc::not_held);
  ASSERT_TRUE(take());
  EXPECT_TRUE(seat.token());
  EXPECT_TRUE(seat.intact());
  EXPECT_EQ(take(Timeout::zero()).error().code, Errc::timed_out);
  EXPECT_TRUE(seat.give_up());
  EXPECT_FALSE(seat.token());
  EXPECT_FALSE(seat.intact());
  EXPECT_TRUE(seat.lost().stop_requested());
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(SeatTest, TheShortWayIsForThePlain) {
  EXPECT_EQ(seat.take_at_once(), GetParam() == Sort::plain);
  EXPECT_EQ(test::places(world, "a"), GetParam() == Sort::plain ? 1u : 0u);
  if (GetParam() == Sort::plain) {
    EXPECT_FALSE(seat.take_at_once()) << "taken";
    EXPECT_EQ(test::places(world, "a"), 1u);
  }
}

TEST_P(SeatTest, ALossIsSeenByThoseWhoAsked) {
  ASSERT_TRUE(take());
  const auto lost = seat.lost();
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_TRUE(seat.lost().stop_possible());
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_FALSE(seat.intact());
  EXPECT_EQ(seat.give_up().error().code, Errc::not_held);
}

TEST_P(SeatTest, GivingUpTellsThoseWhoWatch) {
  ASSERT_TRUE(take());
  const auto lost = seat.lost();
  ASSERT_TRUE(seat.give_up());
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
}

TEST_P(SeatTest, AStaleGiveUpDoesNotEndTheNewcomersHold) {
  ASSERT_TRUE(take());
  const auto lost = seat.lost();
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  ASSERT_TRUE(take(test::patience())) << "another thread, the same seat";
  const auto token = seat.token();
  EXPECT_TRUE(seat.give_up()) << "the first thread's, late";
  EXPECT_EQ(test::places(world, "a"), 1u);
  EXPECT_EQ(seat.token(), token);
  EXPECT_TRUE(seat.intact());
  EXPECT_TRUE(seat.give_up()) << "the newcomer's";
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(SeatTest, LightAndOtherHoldsDisplaceEachOther) {
  const LeaseOptions fixed = LeaseOptions::fixed(test::scaled(10s));
  const LeaseOptions* const order[] = {&lease, &fixed, &lease, &fixed, &fixed, &lease};
  for (const LeaseOptions* each : order) {
    if (test::places(world, "a") > 0) {
      const auto lost = seat.lost();
      test::evict(world, "a");
      ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
    }
    ASSERT_TRUE(seat.take({*each, test::patience()}));
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(seat.give_up());
    EXPECT_EQ(test::places(world, "a"), 1u) << i;
  }
  EXPECT_TRUE(seat.give_up());
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(SeatTest, ThreadsExcludeEachOtherAndMayWatch) {
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 100; ++j) {
          if (!seat.take_at_once()) take().value();
          ++count;
          if (j % 10 == 0) (void)seat.lost();
          seat.give_up().value();
        }
      });
    }
    threads.emplace_back([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        (void)seat.lost();
        (void)seat.token();
        std::this_thread::yield();
      }
    });
  }
  EXPECT_EQ(count, 400);
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(SeatTest, ItsEndGivesUp) {
  {
    Seat other(test::bind(client, "b"));
    ASSERT_TRUE(other.take({lease}));
  }
  EXPECT_EQ(test::places(world, "b"), 0u);
}

}  // namespace
}  // namespace holdfast::core

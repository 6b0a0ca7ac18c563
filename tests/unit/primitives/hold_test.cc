// SPDX-License-Identifier: Apache-2.0

#include "holdfast/hold.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/gate.h"
#include "fake_clock.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Sort;

class HoldTest : public testing::TestWithParam<Sort> {
 protected:
  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  Client client = test::join(world);
  Mutex mutex{client, "a"};
};

INSTANTIATE_TEST_SUITE_P(Sorts, HoldTest,
                         testing::Values(Sort::leased_with_gate, Sort::leased,
                                         Sort::with_gate, Sort::plain));

TEST_P(HoldTest, ReleasesWhenDestroyed) {
  {
    const auto hold = mutex.acquire().value();
    EXPECT_TRUE(hold.token());
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(test::places(world, "a"), 1u);
  }
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(HoldTest, IsReleasedOnce) {
  auto hold = mutex.acquire().value();
  const auto lost = hold.lost();
  EXPECT_TRUE(hold.release());
  EXPECT_TRUE(hold.release()) << "a second release is an error";
  EXPECT_EQ(world->calls.drop, 1);
  EXPECT_FALSE(hold.valid());
  EXPECT_TRUE(hold.lost().stop_requested());
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
}

TEST_P(HoldTest, HasTheNameOfItsLock) {
  auto hold = mutex.acquire().value();
  EXPECT_EQ(hold.name(), "a");
  EXPECT_TRUE(hold.release());
  EXPECT_EQ(hold.name(), "a") << "also when it is released";
}

TEST_P(HoldTest, IsEmptyUntilItIsAssigned) {
  Hold hold;
  EXPECT_FALSE(hold.valid());
  EXPECT_TRUE(hold.lost().stop_requested());
  EXPECT_FALSE(hold.token());
  EXPECT_EQ(hold.name(), "");
  EXPECT_TRUE(hold.release()) << "does nothing";
  hold = mutex.acquire().value();
  EXPECT_TRUE(hold.valid());
  EXPECT_EQ(hold.name(), "a");
}

TEST_P(HoldTest, OfEverySortCanBeEmpty) {
  Permits permits;
  EXPECT_EQ(permits.count(), 0u);
  EXPECT_EQ(permits.release(1).error(), Errc::not_held);
  SharedHold shared;
  EXPECT_FALSE(shared.exclusive());
  EXPECT_EQ(shared.downgrade().error(), Errc::not_held);
  MultiHold many;
  EXPECT_FALSE(many.valid());
  EXPECT_TRUE(many.holds().empty());
  EXPECT_TRUE(many.release()) << "does nothing";
}

TEST_P(HoldTest, Moves) {
  auto first = mutex.acquire().value();
  const auto token = first.token();
  Hold second = std::move(first);
  EXPECT_EQ(second.token(), token);
  EXPECT_FALSE(first.token());  // NOLINT: the test is about the moved-from state
  EXPECT_FALSE(first.valid());
  EXPECT_TRUE(first.lost().stop_requested());
  EXPECT_TRUE(first.release());
  EXPECT_EQ(test::places(world, "a"), 1u);
  Mutex other(client, "b");
  second = other.acquire().value();
  EXPECT_EQ(test::places(world, "a"), 0u) << "the assignment did not release it";
}

TEST_P(HoldTest, OutlivesEverythingElse) {
  std::optional<Hold> hold;
  {
    Mutex local(test::join(world), "b");
    hold.emplace(local.acquire().value());
  }
  EXPECT_TRUE(hold->valid());
  EXPECT_EQ(test::places(world, "b"), 1u);
  hold.reset();
  EXPECT_EQ(test::places(world, "b"), 0u);
}

TEST_P(HoldTest, SaysHowLongItIsValid) {
  const auto hold = mutex.acquire().value();
  const bool leased = client.traits(engine::Kind::mutex).leased;
  EXPECT_EQ(hold.valid_for() == std::chrono::nanoseconds::max(), !leased);
  EXPECT_TRUE(!leased || hold.valid_for() <= 30s - 302ms);

  const auto fixed = Mutex(client, "b", LeaseOptions::fixed(10s)).acquire().value();
  EXPECT_GT(fixed.valid_for(), 1s);
  EXPECT_LE(fixed.valid_for(), 10s - 102ms);
}

TEST_P(HoldTest, AnEvictionIsSeenByTheFirstQuestionAfterIt) {
  auto hold = mutex.acquire().value();
  test::evict(world, "a");
  const auto lost = hold.lost();
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
}

TEST_P(HoldTest, SaysWhenTheReleaseWasNotConfirmed) {
  auto hold = mutex.acquire().value();
  world->faults.unreachable = true;
  EXPECT_EQ(hold.release().error().code, Errc::unavailable);
  world->faults.unreachable = false;
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
}

TEST_P(HoldTest, TokensGrowFromThreadToThread) {
  std::atomic<std::uint64_t> last{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) {
        const auto hold = mutex.acquire().value();
        EXPECT_LT(last.exchange(hold.token().value), hold.token().value);
      }
    });
  }
}

TEST_P(HoldTest, NeighboursHandOverWithoutTheEngine) {
  const test::FakeClock clock;  // so that a slow machine stays within the budget
  const auto bound = test::bind(client, "a");
  auto hold = mutex.acquire().value();
  const auto first = hold.token();
  FencingToken second;
  std::jthread neighbour([&] { second = mutex.acquire().value().token(); });
  ASSERT_TRUE(eventually([&] {
    return bound->gate() != nullptr ? bound->gate()->waiting() == 1
                                    : test::places(world, "a") == 2;
  }));
  ASSERT_TRUE(hold.release());
  neighbour.join();
  EXPECT_GT(second, first);
  if (bound->gate() != nullptr) {
    EXPECT_EQ(world->calls.attempt, 1);
    EXPECT_EQ(world->calls.drop, 1);
  } else {
    EXPECT_GT(world->calls.attempt, 1);
    EXPECT_EQ(world->calls.drop, 2);
  }
}

}  // namespace
}  // namespace holdfast

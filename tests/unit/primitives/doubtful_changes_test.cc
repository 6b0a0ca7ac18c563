// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "holdfast/counter.h"
#include "holdfast/latch.h"
#include "support/scale.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::scaled;

// The engine makes a change, the answer is lost, and then nothing can be sent any more.
class DoubtfulChanges : public testing::Test {
 protected:
  void lose_the_next_answer_and_the_line() {
    world->faults.breaks_with_loss = true;
    world->faults.lose_replies = 1;
  }
  std::int64_t number() {
    world->faults.unreachable = false;
    return counter.get().value();
  }

  const std::shared_ptr<test::FakeWorld> world = test::make_world(test::Sort::leased);
  const std::chrono::milliseconds ttl = scaled(50ms);
  Client client = test::join(world, ttl);
  Counter counter{client, "n"};
};

TEST_F(DoubtfulChanges, AnAddThatMayHaveBeenMadeIsNotCalledUnavailable) {
  ASSERT_TRUE(counter.add(10));
  lose_the_next_answer_and_the_line();
  const auto change = counter.add(-3);
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().code, Errc::outcome_unknown);
  EXPECT_THAT(change.error().message(), testing::HasSubstr("\"n\""));
  EXPECT_EQ(number(), 7);
}

TEST_F(DoubtfulChanges, AnExchangeThatMayHaveBeenMadeIsNotCalledUnavailable) {
  ASSERT_TRUE(counter.add(10));
  lose_the_next_answer_and_the_line();
  EXPECT_EQ(counter.compare_exchange(10, 7).error().code, Errc::outcome_unknown);
  EXPECT_EQ(number(), 7);
}

TEST_F(DoubtfulChanges, AChangeThatCouldNotBeSentIsUnavailable) {
  world->faults.unreachable = true;
  EXPECT_EQ(counter.add(1).error().code, Errc::unavailable);
  EXPECT_EQ(counter.update([](auto n) { return n + 1; }).error().code,
            Errc::unavailable);
  EXPECT_EQ(number(), 0);
}

TEST_F(DoubtfulChanges, AnUpdateIsMadeOnceHoweverLongItsAnswerIsMissing) {
  ASSERT_TRUE(counter.add(10));
  auto updated = std::async(std::launch::async, [&] {
    return counter.update(
        [&](std::int64_t left) -> std::optional<std::int64_t> {
          if (left == 10) lose_the_next_answer_and_the_line();
          return left - 3;
        },
        {.wait = test::patience()});
  });
  (void)updated.wait_for(4 * ttl);
  world->faults.unreachable = false;
  const auto change = updated.get();
  ASSERT_FALSE(change);
  EXPECT_EQ(change.error().code, Errc::outcome_unknown);
  EXPECT_EQ(number(), 7);
}

TEST_F(DoubtfulChanges, AnUpdateWhoseAnswerComesWithTheRepetitionIsDone) {
  ASSERT_TRUE(counter.add(10));
  const auto change = counter.update([&](std::int64_t left) {
    world->faults.lose_replies = 1;
    return left - 3;
  });
  ASSERT_TRUE(change) << change.error().message();
  EXPECT_EQ(change->before, 10);
  EXPECT_EQ(change->after, 7);
  EXPECT_EQ(change->tries, 1u);
}

TEST_F(DoubtfulChanges, AnUpdateKeepsToItsLimit) {
  Counter patient(test::join(world, 30s), "n");
  world->faults.unreachable = true;
  const auto start = Clock::now();
  const auto change = patient.update([](auto n) { return n + 1; }, {.wait = 50ms});
  EXPECT_EQ(change.error().code, Errc::unavailable);
  EXPECT_LT(Clock::now() - start, 10s);
}

TEST_F(DoubtfulChanges, ACancelledUpdateSaysThatItMayHaveBeenMade) {
  std::stop_source stop;
  const auto change = counter.update(
      [&](std::int64_t left) {
        lose_the_next_answer_and_the_line();
        stop.request_stop();
        return left + 1;
      },
      {.stop = stop.get_token()});
  EXPECT_EQ(change.error().code, Errc::outcome_unknown);
  EXPECT_EQ(number(), 1);
}

}  // namespace
}  // namespace holdfast

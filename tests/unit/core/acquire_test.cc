// SPDX-License-Identifier: Apache-2.0

#include "core/acquire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "core/client_state.h"
#include "core/gate.h"
#include "core/lease.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::scaled;
using test::Sort;

class AcquireTest : public testing::TestWithParam<Sort> {
 protected:
  Result<LeaseStart> get(Timeout wait, const std::stop_token* stop = nullptr,
                         bool explain = false) {
    return acquire(bound, {lease, wait, stop, explain});
  }
  bool leased() const { return bound->leased(); }
  void release(const LeaseStart& grant) {
    (void)drop_claim(bound, grant.claim);
    if (bound->gate()) bound->gate()->leave(grant.turn);
  }

  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  const Client client = test::join(world);
  const Client rival = test::join(world);
  const BoundResourcePtr bound = test::bind(client, "a");
  const BoundResourcePtr theirs = test::bind(rival, "a");
  const LeaseOptions lease{};
};

INSTANTIATE_TEST_SUITE_P(Sorts, AcquireTest,
                         testing::Values(Sort::leased_with_gate, Sort::leased,
                                         Sort::with_gate, Sort::plain));

TEST_P(AcquireTest, AFreeLockTakesOneAttempt) {
  const auto grant = get(Timeout::forever());
  ASSERT_TRUE(grant);
  EXPECT_EQ(world->calls.attempt, 1);
  EXPECT_TRUE(grant->token);
  EXPECT_EQ(grant->lease == engine::kNoLease, !leased());
  release(*grant);
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_P(AcquireTest, AnEngineThatThrowsLeavesNoTrace) {
  for (const Timeout wait : {Timeout::zero(), Timeout::forever()}) {
    world->faults.throw_late = 1;
    EXPECT_EQ(get(wait).error().code, Errc::full);
    EXPECT_EQ(test::places(world, "a"), 0u);
  }
  EXPECT_TRUE(get(Timeout::zero()));
}

TEST_P(AcquireTest, ZeroWaitIsOneAttemptThatLeavesNoTrace) {
  const auto held = acquire(theirs, {lease});
  ASSERT_TRUE(held);
  world->calls.attempt = 0;
  EXPECT_EQ(get(Timeout::zero()).error().code, Errc::timed_out);
  EXPECT_EQ(world->calls.attempt, 1);
  EXPECT_EQ(world->calls.drop, 0);
  EXPECT_EQ(world->calls.survey, 0) << "an explanation was not asked for";
  EXPECT_EQ(test::places(world, "a"), 1u);
}

TEST_P(AcquireTest, ATimedWaitEndsAndLeavesNoTrace) {
  ASSERT_TRUE(acquire(theirs, {lease}));
  const auto start = Clock::now();
  EXPECT_EQ(get(scaled(30ms)).error().code, Errc::timed_out);
  EXPECT_GE(Clock::now() - start, scaled(30ms));
  EXPECT_EQ(test::places(world, "a"), 1u);
}

TEST_P(AcquireTest, ATimeoutNamesTheHolder) {
  ASSERT_TRUE(acquire(theirs, {lease}));
  for (const Timeout wait : {Timeout(scaled(10ms)), Timeout::zero()}) {
    const auto refused = get(wait, nullptr, true);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message(),
                testing::MatchesRegex(
                    "lock \"a\" is held by tester for less than 2 s \\(token 1\\)"));
  }
}

TEST_P(AcquireTest, AReleaseWakesTheWaiter) {
  const auto held = acquire(theirs, {lease});
  ASSERT_TRUE(held);
  auto waiter = std::async(std::launch::async, [&] { return get(Timeout::forever()); });
  ASSERT_TRUE(eventually([&] { return test::places(world, "a") == 2; }));
  (void)drop_claim(theirs, held->claim);
  const auto grant = waiter.get();
  ASSERT_TRUE(grant);
  EXPECT_GT(grant->token, held->token);
}

TEST_P(AcquireTest, AStopEndsTheWait) {
  std::stop_source source;
  const auto token = source.get_token();
  ASSERT_TRUE(acquire(theirs, {lease}));
  auto waiter =
      std::async(std::launch::async, [&] { return get(Timeout::forever(), &token); });
  ASSERT_TRUE(eventually([&] { return test::places(world, "a") == 2; }));
  source.request_stop();
  EXPECT_EQ(waiter.get().error().code, Errc::cancelled);
  EXPECT_EQ(test::places(world, "a"), 1u);
  EXPECT_EQ(get(Timeout::forever(), &token).error().code, Errc::cancelled);
}

TEST_P(AcquireTest, ALostReplyIsRepeatedWithTheSameTicket) {
  for (int lost = 1; lost <= 3; ++lost) {
    world->faults.lose_replies = lost;
    const auto grant = get(test::patience());
    ASSERT_TRUE(grant) << grant.error().message();
    EXPECT_EQ(test::places(world, "a"), 1u);
    release(*grant);
    EXPECT_EQ(test::places(world, "a"), 0u);
  }
}

TEST_P(AcquireTest, ALostRequestIsRepeated) {
  world->faults.lose_requests = 3;
  const auto grant = get(test::patience());
  ASSERT_TRUE(grant) << grant.error().message();
  EXPECT_EQ(test::places(world, "a"), 1u);
}

TEST_P(AcquireTest, ALostReplyToTheOnlyAttemptLeavesAPendingDrop) {
  world->faults.lose_replies = 1;
  EXPECT_EQ(get(Timeout::zero()).error().code, Errc::outcome_unknown);
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
}

TEST_P(AcquireTest, AnUnreachableEngineIsNotContention) {
  world->faults.unreachable = true;
  EXPECT_EQ(get(scaled(30ms)).error().code, Errc::unavailable);
  EXPECT_EQ(get(Timeout::zero()).error().code, Errc::unavailable);
}

TEST_P(AcquireTest, AWaitWithoutLimitGivesUpOnADeadEngine) {
  const Client hasty = test::join(world, scaled(100ms));
  world->faults.unreachable = true;
  const auto refused = acquire(test::bind(hasty, "a"), {lease});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
}

// It is not known whether the lock is held: another thread asks, and has no answer.
TEST_P(AcquireTest, ASilentEngineIsNotContentionForASecondThreadEither) {
  const Client hasty = test::join(world, scaled(500ms));
  const BoundResourcePtr ours = test::bind(hasty, "a");
  world->faults.unreachable = true;
  std::stop_source enough;
  const auto token = enough.get_token();
  auto other = std::async(std::launch::async, [&] {
    return acquire(ours, {lease, test::patience(), &token});
  });
  ASSERT_TRUE(eventually([&] { return world->calls.attempt > 0; }));
  EXPECT_EQ(acquire(ours, {lease, Timeout::zero()}).error().code, Errc::unavailable);
  EXPECT_EQ(acquire(ours, {lease, scaled(20ms)}).error().code, Errc::unavailable);
  enough.request_stop();
  EXPECT_EQ(other.get().error().code, Errc::cancelled);
}

TEST_P(AcquireTest, AGrantThatComesAfterItsLeaseIsTriedAgainWithinTheLimits) {
  const auto short_lease = LeaseOptions::fixed(10ms);
  world->faults.delay = 20ms;
  const auto start = Clock::now();
  const auto late = acquire(bound, {short_lease, scaled(200ms)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::unavailable);
  EXPECT_THAT(late.error().message(), testing::HasSubstr("longer lease"));
  EXPECT_GE(Clock::now() - start, scaled(200ms));
  EXPECT_LT(Clock::now() - start, scaled(5s));
  EXPECT_LT(world->calls.attempt, 50) << "it was tried without pauses";
  EXPECT_EQ(acquire(bound, {short_lease, Timeout::zero()}).error().code,
            Errc::unavailable);

  std::stop_source source;
  const auto token = source.get_token();
  auto waiter = std::async(std::launch::async, [&] {
    return acquire(bound, {short_lease, Timeout::forever(), &token});
  });
  source.request_stop();
  EXPECT_EQ(waiter.get().error().code, Errc::cancelled);
  world->faults.delay = 0ms;
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
}

TEST_P(AcquireTest, APermanentErrorIsReturnedAtOnce) {
  const engine::Address counter{engine::Kind::counter, "a"};
  const auto resource = rival.session().bind(counter).value();
  ASSERT_TRUE(resource->add(1, engine::Ticket::none, Clock::now() + 10s));
  EXPECT_EQ(get(Timeout::forever()).error().code, Errc::wrong_kind);
}

TEST_P(AcquireTest, ABadLeaseIsRefused) {
  for (const LeaseOptions& bad : {LeaseOptions{.ttl = -1ms}, LeaseOptions::fixed(2ms),
                                  LeaseOptions{.cap = 1ms}}) {
    EXPECT_EQ(acquire(bound, {bad}).error().code, Errc::bad_argument);
  }
  EXPECT_EQ(world->calls.attempt, 0);
}

TEST_P(AcquireTest, AClosedClientRefuses) {
  Client copy = client;
  copy.close();
  EXPECT_EQ(get(Timeout::forever()).error().code, Errc::closed);
}

TEST_P(AcquireTest, ClosingEndsAWait) {
  ASSERT_TRUE(acquire(theirs, {lease}));
  auto waiter = std::async(std::launch::async, [&] { return get(Timeout::forever()); });
  ASSERT_TRUE(eventually([&] { return test::places(world, "a") == 2; }));
  Client copy = client;
  copy.close();
  EXPECT_EQ(waiter.get().error().code, Errc::closed);
  EXPECT_EQ(test::places(world, "a"), 1u);
}

TEST_P(AcquireTest, TheGateCanBeBypassed) {
  ASSERT_TRUE(get(Timeout::forever()));
  const auto refused = acquire(bound, {lease, Timeout::zero(), nullptr, false, false});
  EXPECT_EQ(refused.error().code, Errc::timed_out);
  EXPECT_EQ(world->calls.attempt, 2) << "it did not ask out of turn";
}

}  // namespace
}  // namespace holdfast::core

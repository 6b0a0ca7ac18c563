// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <future>

#include "core/access.h"
#include "core/client_state.h"
#include "fake_clock.h"
#include "holdfast/election.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Sort;

class LeaseAmendTest : public testing::Test {
 protected:
  test::FakeClock clock;
  const std::shared_ptr<test::FakeWorld> world = test::make_world(Sort::leased);
  Client client = test::join(world, 30s);
};

TEST_F(LeaseAmendTest, AChangeCountsAsARenewal) {
  SharedMutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  clock.advance(5s);
  ASSERT_TRUE(hold.downgrade());
  EXPECT_EQ(hold.valid_for(), 30s - 300ms - 2ms);
}

TEST_F(LeaseAmendTest, AFixedLeaseIsNotExtended) {
  SharedMutex mutex(client, "a", LeaseOptions::fixed(10s));
  auto hold = mutex.acquire().value();
  clock.advance(4s);
  const auto before = hold.valid_for();
  ASSERT_TRUE(hold.downgrade());
  EXPECT_EQ(hold.valid_for(), before);
  clock.advance(6s);
  Access::state(client)->renewer().wake();
  EXPECT_FALSE(hold.valid());
  EXPECT_TRUE(SharedMutex(test::join(world), "a").try_lock());
}

TEST_F(LeaseAmendTest, ALostReplyIsAskedForAgain) {
  Semaphore semaphore(client, "a", 3);
  auto permits = semaphore.acquire_many(3).value();
  world->faults.lose_replies = 1;
  EXPECT_TRUE(permits.release(2));
  EXPECT_EQ(permits.count(), 1u);
  EXPECT_EQ(semaphore.available().value(), 2u);
}

TEST_F(LeaseAmendTest, AChangeThatThrowsIsAskedForAgain) {
  Semaphore semaphore(client, "a", 3);
  auto permits = semaphore.acquire_many(3).value();
  world->faults.throws = 1;
  EXPECT_TRUE(permits.release(2));
  EXPECT_EQ(semaphore.available().value(), 2u);
}

// The timer has not yet seen the end.
TEST_F(LeaseAmendTest, AChangeDoesNotAskForALeaseThatIsOver) {
  SharedMutex mutex(client, "a", LeaseOptions::fixed(10s));
  auto hold = mutex.acquire().value();
  clock.advance(10s);
  EXPECT_EQ(hold.downgrade().error().code, Errc::not_held);
  EXPECT_EQ(world->calls.amend, 0);
}

TEST_F(LeaseAmendTest, AChangeOfAClaimThatIsGoneLosesTheLease) {
  SharedMutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  const auto lost = hold.lost();
  const engine::Address address{engine::Kind::shared_mutex, "a"};
  const auto entries = world->server.survey(address, 1).value();
  world->server.evict(address, entries.at(0).owner).value();
  const auto refused = hold.downgrade();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_held);
  EXPECT_FALSE(hold.valid());
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
}

TEST_F(LeaseAmendTest, AClaimLostDuringAChangeIsDroppedAfterIt) {
  SharedMutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  const auto lost = hold.lost();
  world->block.begin("a");
  auto changed = std::async(std::launch::async, [&] { return hold.downgrade(); });
  ASSERT_TRUE(eventually([&] { return world->block.inside() == 1; }));
  clock.advance(40s);
  Access::state(client)->renewer().wake();
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_TRUE(test::throughout(test::scaled(50ms), [&] {
    return world->block.inside() == 1;
  })) << "it was not lost while it was being changed";
  world->block.let_go();
  EXPECT_EQ(changed.get().error().code, Errc::not_held);
  EXPECT_TRUE(eventually([&] { return world->calls.drop > 0; }));
}

TEST_F(LeaseAmendTest, ChangesOfOneLeaseAreMadeOneAfterTheOther) {
  Election election(client, "a");
  ASSERT_TRUE(election.campaign("none"));
  world->block.begin("a");
  std::promise<Result<void>> first;
  std::promise<Result<void>> second;
  election.proclaim_async("first", [&](auto done) { first.set_value(done); });
  ASSERT_TRUE(eventually([&] { return world->block.inside() == 1; }));
  election.proclaim_async("second", [&](auto done) { second.set_value(done); });
  auto third =
      std::async(std::launch::async, [&] { return election.proclaim("third"); });
  EXPECT_TRUE(test::throughout(test::scaled(30ms), [&] {
    return world->block.inside() == 1;
  })) << "two changes were made at once";
  world->block.let_go();
  EXPECT_TRUE(first.get_future().get());
  EXPECT_TRUE(second.get_future().get());
  EXPECT_TRUE(third.get());
  EXPECT_TRUE(election.is_leader());
  EXPECT_NE(election.leader().value()->payload, "first");
}

TEST_F(LeaseAmendTest, AClaimThatAnotherCallHasChangedStaysAsItIs) {
  Semaphore semaphore(client, "a", 3);
  auto permits = semaphore.acquire_many(3).value();
  world->block.begin("a");
  std::promise<Result<void>> first;
  std::promise<Result<void>> second;
  permits.release_async(1, [&](auto done) { first.set_value(done); });
  ASSERT_TRUE(eventually([&] { return world->block.inside() == 1; }));
  permits.release_async(1, [&](auto done) { second.set_value(done); });
  world->block.let_go();
  EXPECT_TRUE(first.get_future().get());
  EXPECT_EQ(second.get_future().get().error(), Errc::bad_argument);
  EXPECT_EQ(permits.count(), 2u);
  EXPECT_TRUE(permits.release(1)) << "it can be changed again";
  EXPECT_EQ(semaphore.available().value(), 2u);
}

TEST_F(LeaseAmendTest, AHoldThatIsDestroyedDuringAChangeIsGivenBackAfterIt) {
  SharedMutex mutex(client, "a");
  std::promise<Result<void>> changed;
  {
    auto hold = mutex.acquire().value();
    world->block.begin("a");
    hold.downgrade_async([&](auto done) { changed.set_value(done); });
    ASSERT_TRUE(eventually([&] { return world->block.inside() == 1; }));
  }
  world->block.let_go();
  EXPECT_TRUE(changed.get_future().get());
  EXPECT_TRUE(
      eventually([&] { return SharedMutex(test::join(world), "a").try_lock(); }));
}

TEST_F(LeaseAmendTest, AHoldThatIsReleasedDuringAChangeLeavesNothingBehind) {
  SharedMutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  world->block.begin("a");
  std::promise<Result<void>> changed;
  std::promise<Result<void>> released;
  hold.downgrade_async([&](auto done) { changed.set_value(done); });
  ASSERT_TRUE(eventually([&] { return world->block.inside() == 1; }));
  hold.release_async([&](auto done) { released.set_value(done); });
  ASSERT_TRUE(eventually([&] { return world->block.inside() == 2; }));
  world->block.let_go();
  EXPECT_FALSE(changed.get_future().get()) << "it is no longer ours to change";
  (void)released.get_future().get();
  EXPECT_TRUE(
      eventually([&] { return SharedMutex(test::join(world), "a").try_lock(); }));
}

TEST_F(LeaseAmendTest, AReleasedHoldIsNotChanged) {
  SharedMutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  ASSERT_TRUE(hold.release());
  const auto refused = hold.downgrade();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_held);
}

}  // namespace
}  // namespace holdfast::core

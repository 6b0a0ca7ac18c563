// SPDX-License-Identifier: Apache-2.0

#include "core/lease_renewer.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <string_view>
#include <thread>

#include "core/access.h"
#include "core/client_state.h"
#include "fake_clock.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::Sort;

// The clock stands still unless a test moves it, so nothing happens by itself.
class LeaseRenewerTest : public testing::Test {
 protected:
  // The renewer looks at the clock once a second by itself, which would take longer.
  void advance(Client& whose, Clock::duration span) {
    clock.advance(span);
    Access::state(whose)->renewer().wake();
  }

  test::FakeClock clock;
  const std::shared_ptr<test::FakeWorld> world =
      test::make_world(Sort::leased_with_gate);
  Client client = test::join(world, 30s);
  Mutex mutex{client, "a"};
};

// The first renewal is half a second after the grant.
TEST_F(LeaseRenewerTest, RenewsAfterAThird) {
  constexpr auto kWhole = 30s - 300ms - 2ms;
  auto hold = mutex.acquire().value();
  int renewals = 0;
  for (const auto pause : {500ms, 10'000ms, 10'000ms}) {
    advance(client, pause - 1ms);
    EXPECT_EQ(hold.valid_for(), kWhole - (pause - 1ms));
    EXPECT_EQ(world->calls.renew, renewals++);
    advance(client, 1ms);
    ASSERT_TRUE(eventually([&] { return hold.valid_for() == kWhole; }));
    EXPECT_EQ(world->calls.renew, renewals);
  }
}

TEST_F(LeaseRenewerTest, RenewsAllInOneCall) {
  Mutex b(client, "b");
  Mutex c(client, "c");
  const std::scoped_lock locks(mutex, b, c);
  advance(client, 10s);
  ASSERT_TRUE(eventually([&] { return world->calls.refs == 3; }));
  EXPECT_EQ(world->calls.renew, 1);
}

TEST_F(LeaseRenewerTest, AnUnknownOutcomeIsNoLossBeforeTheDeadline) {
  auto hold = mutex.acquire().value();
  const auto lost = hold.lost();
  world->faults.unreachable = true;
  advance(client, 29s);
  ASSERT_TRUE(eventually([&] { return world->calls.renew > 0; }));
  EXPECT_TRUE(hold.valid());
  EXPECT_FALSE(lost.stop_requested());
  advance(client, 698ms);
  EXPECT_FALSE(hold.valid()) << "the clock alone decides, not the renewer";
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_EQ(hold.release().error().code, Errc::not_held);
}

TEST_F(LeaseRenewerTest, ARenewalThatThrowsIsRepeated) {
  auto hold = mutex.acquire().value();
  world->faults.throws = 1;
  advance(client, 10s);
  ASSERT_TRUE(eventually([&] {
    advance(client, 1ms);
    return world->calls.renew == 2;
  }));
  EXPECT_TRUE(hold.valid());
}

TEST_F(LeaseRenewerTest, ALostClaimIsDroppedAtItsEnd) {
  auto hold = mutex.acquire().value();
  const auto lost = hold.lost();
  world->faults.unreachable = true;
  advance(client, 29'800ms);
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_EQ(world->calls.drop, 0) << "it was dropped before its end at the engine";
  world->faults.unreachable = false;
  advance(client, 200ms);
  EXPECT_TRUE(eventually([&] { return world->calls.drop == 1; }));
  EXPECT_EQ(test::places(world, "a"), 0u);
}

TEST_F(LeaseRenewerTest, NotHeldIsLostAtOnce) {
  auto hold = mutex.acquire().value();
  const auto lost = hold.lost();
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_FALSE(hold.valid());
}

TEST_F(LeaseRenewerTest, AFixedLeaseEndsByItself) {
  Mutex fixed(client, "b", LeaseOptions::fixed(10s));
  auto hold = fixed.acquire().value();
  const auto lost = hold.lost();
  advance(client, 9s);
  ASSERT_TRUE(eventually([&] { return world->calls.refs == 1; }))
      << "the engine is asked once, and watches the claim from then on";
  const engine::Address address{engine::Kind::mutex, "b"};
  EXPECT_EQ(world->server.survey(address, 1).value().at(0).left, 1s)
      << "a fixed lease was renewed";
  EXPECT_EQ(hold.valid_for(), 1s - 100ms - 2ms);
  EXPECT_FALSE(lost.stop_requested());
  advance(client, 1s);
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_EQ(world->calls.refs, 1) << "a fixed lease was renewed";
}

TEST_F(LeaseRenewerTest, AnEvictedFixedLeaseIsLostBeforeItsEnd) {
  Mutex fixed(client, "b", LeaseOptions::fixed(10s));
  auto hold = fixed.acquire().value();
  const auto lost = hold.lost();
  advance(client, 5s);
  test::evict(world, "b");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
}

TEST_F(LeaseRenewerTest, AnAlarmDoesNotExtendAFixedLease) {
  Mutex fixed(client, "b", LeaseOptions::fixed(10s));
  const auto hold = fixed.acquire().value();
  auto other = mutex.acquire().value();
  const auto lost = other.lost();
  advance(client, 5s);
  ASSERT_TRUE(eventually([&] { return world->calls.refs >= 2; }))
      << "both leases are due";
  test::evict(world, "a");
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  const engine::Address address{engine::Kind::mutex, "b"};
  EXPECT_EQ(world->server.survey(address, 1).value().at(0).left, 5s);
  EXPECT_EQ(hold.valid_for(), 5s - 100ms - 2ms);
}

TEST_F(LeaseRenewerTest, ACapEndsARenewedLease) {
  Mutex capped(client, "b", {.cap = 45s});
  auto hold = capped.acquire().value();
  const auto lost = hold.lost();
  for (int renewals = 1; renewals <= 4; ++renewals) {
    advance(client, 10s);
    ASSERT_TRUE(eventually([&] { return world->calls.renew == renewals; }));
    EXPECT_TRUE(hold.valid());
  }
  EXPECT_EQ(hold.valid_for(), 5s - 50ms - 2ms) << "the cap does not end it";
  advance(client, 5s);
  ASSERT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_TRUE(eventually([&] { return test::places(world, "b") == 0; }));
}

// Gives the workers of the renewer a clock that is ahead, as if each of them had been
// stopped before it looked at it.
class LateWorkers {
 public:
  static constexpr auto kLate = 29'200ms;
  LateWorkers() {
    before_ = Clock::set_source(nullptr);
    Clock::set_source([]() noexcept {
      std::array<char, 16> name{};
      pthread_getname_np(pthread_self(), name.data(), name.size());
      const bool late = std::string_view(name.data()) == "hf-renew";
      return before_.load()() + (late ? kLate : 0ms);
    });
  }
  ~LateWorkers() { Clock::set_source(before_); }
  LateWorkers(const LateWorkers&) = delete;
  LateWorkers& operator=(const LateWorkers&) = delete;

 private:
  static inline std::atomic<Clock::Source> before_{nullptr};
};

TEST_F(LeaseRenewerTest, AWorkerThatIsLateDoesNotAskForALeaseThatIsOver) {
  Mutex capped(client, "b", {.cap = 29s});
  const auto ends = capped.acquire().value();
  const auto goes_on = mutex.acquire().value();
  {
    const LateWorkers late;
    advance(client, 500ms);
    ASSERT_TRUE(eventually([&] { return world->calls.renew == 1; }));
    EXPECT_EQ(world->calls.refs, 1) << "the engine takes no time for its own ttl";
  }
}

TEST_F(LeaseRenewerTest, NothingIsRenewedOnceItWasReleased) {
  auto hold = mutex.acquire().value();
  ASSERT_TRUE(hold.release());
  advance(client, 10s);
  advance(client, 10s);
  Mutex probe(client, "probe");
  const auto other = probe.acquire().value();
  advance(client, 10s);
  ASSERT_TRUE(eventually([&] { return world->calls.refs == 1; }));
  EXPECT_TRUE(other.valid());
}

TEST_F(LeaseRenewerTest, ADropThatWasNotConfirmedIsRepeated) {
  auto hold = mutex.acquire().value();
  world->faults.lose_requests = 1;
  EXPECT_EQ(hold.release().error().code, Errc::outcome_unknown);
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
}

TEST_F(LeaseRenewerTest, ADropThatThrowsIsRepeated) {
  auto hold = mutex.acquire().value();
  world->faults.unreachable = true;
  EXPECT_EQ(hold.release().error().code, Errc::unavailable);
  ASSERT_TRUE(eventually([&] { return world->calls.drop == 2; }));
  world->faults.throws = 1;
  world->faults.unreachable = false;
  EXPECT_TRUE(eventually([&] {
    advance(client, 1ms);
    return test::places(world, "a") == 0;
  }));
  EXPECT_EQ(world->faults.throws, 0);
}

TEST_F(LeaseRenewerTest, AReleaseThatThrowsIsRepeated) {
  auto hold = mutex.acquire().value();
  world->faults.throws = 1;
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::outcome_unknown);
  EXPECT_EQ(released.error().message(),
            "the engine has not confirmed that \"a\" is released: Holdfast repeats the "
            "release until it has");
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
}

TEST_F(LeaseRenewerTest, AnUnlockOfALightHoldThatThrowsIsRepeated) {
  const auto plain = test::make_world(Sort::plain);
  const Client light = test::join(plain);
  Mutex b(light, "b");
  b.lock();
  plain->faults.throws = 2;
  b.unlock();
  EXPECT_TRUE(eventually([&] { return test::places(plain, "b") == 0; }));
  EXPECT_EQ(plain->faults.throws, 0);
}

TEST_F(LeaseRenewerTest, ADropOfCloseThatThrowsIsRepeated) {
  const auto hold = mutex.acquire().value();
  world->faults.throws = 1;
  client.close();
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
  EXPECT_EQ(world->faults.throws, 0);
}

TEST_F(LeaseRenewerTest, TheTurnOfTheGatePassesOnWhenAHoldIsLost) {
  Mutex fixed(client, "b", LeaseOptions::fixed(10s));
  const auto stale = fixed.acquire().value();
  EXPECT_FALSE(fixed.acquire({.wait = Timeout::zero()}));
  advance(client, 10s);
  EXPECT_TRUE(
      eventually([&] { return fixed.acquire({.wait = Timeout::zero()}).has_value(); }));
}

TEST_F(LeaseRenewerTest, TheSessionIsKeptAliveForAWaiter) {
  Client rival = test::join(world, 30s);
  const auto held = mutex.acquire().value();
  std::stop_source source;
  std::jthread waiter(
      [&] { EXPECT_FALSE(Mutex(rival, "a").acquire({.stop = source.get_token()})); });
  ASSERT_TRUE(eventually([&] { return test::places(world, "a") == 2; }));
  const int before = world->calls.renew;
  advance(rival, 10s);
  EXPECT_TRUE(eventually([&] { return world->calls.renew > before; }));
  source.request_stop();
}

TEST_F(LeaseRenewerTest, ClosingLosesEveryHold) {
  auto hold = mutex.acquire().value();
  const auto lost = hold.lost();
  client.close();
  EXPECT_TRUE(lost.stop_requested()) << "close() returned before the loss was told";
  EXPECT_FALSE(hold.valid());
  EXPECT_EQ(test::places(world, "a"), 0u);
  EXPECT_EQ(hold.release().error().code, Errc::not_held);
}

}  // namespace
}  // namespace holdfast::core

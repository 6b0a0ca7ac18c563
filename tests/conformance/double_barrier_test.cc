// SPDX-License-Identifier: Apache-2.0

// DoubleBarrier is tested as a primitive here. The rules of its queue are in
// double_barrier_claims_test.cc.

#include "holdfast/double_barrier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "conformance/conformance.h"
#include "support/eventually.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class DoubleBarriers : public Conformance {
 protected:
  DoubleBarrier party(std::uint32_t parties = 2) {
    return {open(), name("a"), parties};
  }
  engine::Address address() const { return {engine::Kind::double_barrier, name("a")}; }

  static auto enters(DoubleBarrier& party) {
    return std::async(std::launch::async, [&] {
      const auto entered = party.enter({.wait = patience()});
      return entered ? std::error_code() : entered.error().code;
    });
  }
  static auto leaves(DoubleBarrier& party) {
    return std::async(std::launch::async, [&] {
      const auto left = party.leave({.wait = patience()});
      return left ? std::error_code() : left.error().code;
    });
  }
};
HOLDFAST_CONFORMANCE(DoubleBarriers);

TEST_P(DoubleBarriers, BeginAndEndTogetherAgainAndAgain) {
  constexpr int kRounds = 5;
  std::atomic<int> inside{0};
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, client = open()] {
      DoubleBarrier mine(client, name("a"), 3);
      for (int round = 1; round <= kRounds; ++round) {
        ++inside;
        ASSERT_TRUE(mine.enter({.wait = patience()}));
        EXPECT_GE(inside, 3 * round) << "in before the others had come";
        ASSERT_TRUE(mine.leave({.wait = patience()}));
      }
    });
  }
}

TEST_P(DoubleBarriers, LeaveOnlyWhenAllHaveFinished) {
  auto one = party();
  auto other = party();
  auto entered = enters(one);
  ASSERT_TRUE(other.enter({.wait = patience()}));
  ASSERT_EQ(entered.get(), std::error_code());
  EXPECT_FALSE(one.lost().stop_requested());
  auto left = leaves(one);
  EXPECT_EQ(left.wait_for(scaled(50ms)), std::future_status::timeout);
  EXPECT_TRUE(other.leave({.wait = patience()}));
  EXPECT_EQ(left.get(), std::error_code());
  EXPECT_TRUE(one.lost().stop_requested());
}

TEST_P(DoubleBarriers, TimeOutAndCanGoOn) {
  auto one = party();
  auto other = party();
  const auto alone = one.enter({.wait = scaled(50ms)});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code, Errc::timed_out);
  EXPECT_TRUE(survey(open(), address()).empty()) << "a trace is left";
  auto entered = enters(one);
  ASSERT_TRUE(other.enter({.wait = patience()}));
  ASSERT_EQ(entered.get(), std::error_code());
  const auto still = one.leave({.wait = scaled(50ms)});
  ASSERT_FALSE(still);
  EXPECT_EQ(still.error().code, Errc::timed_out);
  EXPECT_TRUE(other.leave({.wait = patience()}));
  EXPECT_TRUE(one.leave({.wait = patience()})) << "it waits on";
  const auto over = one.leave();
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, Errc::not_held);
}

TEST_P(DoubleBarriers, CanBeCancelled) {
  auto one = party();
  auto other = party();
  std::stop_source stop;
  auto cancelled = std::async(std::launch::async, [&] {
    return one.enter({.stop = stop.get_token()}).error().code;
  });
  ASSERT_TRUE(waiting(open(), address(), 1));
  stop.request_stop();
  EXPECT_EQ(cancelled.get(), Errc::cancelled);
  EXPECT_FALSE(other.enter({.wait = scaled(30ms)}))
      << "a party that gave up is not inside";
}

TEST_P(DoubleBarriers, RefuseMisuse) {
  auto one = party(1);
  ASSERT_TRUE(one.enter());
  const auto twice = one.enter();
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Errc::bad_argument);
  EXPECT_TRUE(one.leave());
  auto none = party(0);
  const auto refused = none.enter();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_argument);
}

class DoubleBarrierDeaths : public DoubleBarriers {
 protected:
  std::string claim(std::uint32_t parties) const {
    return "claim double_barrier " + name("a") + " exclusive 1 " +
           std::to_string(parties);
  }
};
HOLDFAST_CONFORMANCE(DoubleBarrierDeaths);

TEST_P(DoubleBarrierDeaths, APartyThatDiesInsideIsNotWaitedFor) {
  auto one = party();
  Victim other(engine().url());
  other.tell(claim(2));
  ASSERT_TRUE(one.enter({.wait = patience()}));
  ASSERT_EQ(other.answer(), "ok");
  auto left = leaves(one);
  EXPECT_EQ(left.wait_for(scaled(50ms)), std::future_status::timeout);
  other.kill();
  EXPECT_EQ(left.wait_for(engine().death_told_within()), std::future_status::ready);
  EXPECT_EQ(left.get(), std::error_code());
}

// Where leases end by time, the other parties do not wait for it; elsewhere they do,
// until it continues.
TEST_P(DoubleBarrierDeaths, APartyThatIsStoppedPastItsLease) {
  auto one = party();
  Victim other(engine().url(), scaled(600ms));
  other.tell(claim(2));
  ASSERT_TRUE(one.enter({.wait = patience()}));
  ASSERT_EQ(other.answer(), "ok");
  other.stop();
  auto left = leaves(one);
  if (!open().traits(engine::Kind::double_barrier).leased) {
    EXPECT_EQ(left.wait_for(scaled(1200ms)), std::future_status::timeout);
    other.go_on();
    EXPECT_EQ(other.ask("drop"), "ok");
  }
  EXPECT_EQ(left.get(), std::error_code());
}

TEST_P(DoubleBarrierDeaths, APartyThatDiesWaitingIsNotCounted) {
  Victim dead(engine().url());
  dead.tell(claim(2));
  ASSERT_TRUE(waiting(open(), address(), 1));
  dead.kill();
  ASSERT_TRUE(waiting(open(), address(), 0));
  auto one = party();
  EXPECT_FALSE(one.enter({.wait = scaled(50ms)}));
}

class DoubleBarrierRestarts : public DoubleBarriers {};
HOLDFAST_CONFORMANCE(DoubleBarrierRestarts);

TEST_P(DoubleBarrierRestarts, LoseNoParty) {
  auto one = party();
  auto other = party();
  auto entered = enters(one);
  ASSERT_TRUE(waiting(open(), address(), 1));
  ASSERT_TRUE(engine().restart());
  ASSERT_TRUE(other.enter({.wait = patience()}));
  ASSERT_EQ(entered.get(), std::error_code());
  auto left = leaves(one);
  EXPECT_EQ(left.wait_for(scaled(50ms)), std::future_status::timeout);
  ASSERT_TRUE(engine().restart());
  EXPECT_TRUE(other.leave({.wait = patience()}));
  EXPECT_EQ(left.get(), std::error_code());
}

}  // namespace
}  // namespace holdfast::test

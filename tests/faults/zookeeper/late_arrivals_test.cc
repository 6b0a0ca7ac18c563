// SPDX-License-Identifier: Apache-2.0

// Requests that arrive after their caller gave them up.

#include <gtest/gtest.h>

#include <future>

#include "conformance/claim_lock.h"
#include "faults/zookeeper/ground.h"
#include "holdfast/double_barrier.h"
#include "holdfast/engine/session.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using ZookeeperLateArrivals = OnZookeeper;

// The last party has seen this one and opens the barrier; this one leaves before the
// request arrives.
TEST_F(ZookeeperLateArrivals, ABarrierIsNotOpenedForAPartyThatHasLeft) {
  const Client client = open();
  DoubleBarrier barrier(client, "a", 2);
  shell_.create(root_);
  shell_.create(path("a"));
  const std::string other =
      shell_.create(path("a/01234567-89ab-cdef-0123-456789abcdef"), {}, ZOO_EPHEMERAL);
  line_.delay(scaled(500ms));
  auto entered = std::async(std::launch::async,
                            [&] { return barrier.enter({.wait = scaled(3s)}); });
  ASSERT_TRUE(has_nodes("a", 2));
  shell_.remove(other);
  const auto alone = entered.get();
  line_.delay(0ms);
  ASSERT_FALSE(alone) << "it entered a barrier of two alone";
  EXPECT_EQ(alone.error().code, Errc::timed_out) << alone.error().message();
}

TEST_F(ZookeeperLateArrivals, TheLastPartyThatLeavesWithoutWaitingClosesTheBarrier) {
  shell_.create(root_);
  shell_.create(path("a"));
  const Client client = open();
  const auto barrier =
      client.session().bind({engine::Kind::double_barrier, "a"}).value();
  const engine::Claim first{.ticket = next_ticket(), .capacity = 2};
  const engine::Claim second{.ticket = next_ticket(), .capacity = 2};
  const engine::Waker waker = client.session().signal();
  ASSERT_TRUE(barrier->attempt(first, waker, soon()));
  ASSERT_TRUE(barrier->attempt(second, waker, soon()));
  ASSERT_TRUE(barrier->attempt(first, waker, soon()));
  ASSERT_TRUE(has_nodes("a", 3));
  EXPECT_TRUE(barrier->drop(first, engine::Deadline::min()));
  EXPECT_TRUE(has_nodes("a", 2)) << "one is inside";
  line_.freeze();
  const auto start = Clock::now();
  EXPECT_TRUE(barrier->drop(second, engine::Deadline::min()));
  EXPECT_LT(Clock::now() - start, scaled(500ms));
  line_.thaw();
  EXPECT_TRUE(has_nodes("a", 0)) << "none is";
}

}  // namespace
}  // namespace holdfast::test

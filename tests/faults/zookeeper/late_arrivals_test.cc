// SPDX-License-Identifier: Apache-2.0

#include "faults/late_arrivals.h"

#include <gtest/gtest.h>

#include <future>

#include "faults/zookeeper/ground.h"
#include "holdfast/double_barrier.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using ZookeeperLateArrivals = OnZookeeper;

TEST_F(ZookeeperLateArrivals, AWakeUpThatComesTooLateIsNoGrant) {
  a_wake_up_that_comes_too_late_is_no_grant(bad_line_);
}
TEST_F(ZookeeperLateArrivals, AnUnansweredChangeIsRemembered) {
  an_unanswered_change_is_remembered(bad_line_);
}
TEST_F(ZookeeperLateArrivals, AnUnansweredChangeIsNotMadeOverOthers) {
  an_unanswered_change_is_not_made_over_others(bad_line_);
}
TEST_F(ZookeeperLateArrivals, AnUnansweredUpdateIsMadeOnce) {
  an_unanswered_update_is_made_once(bad_line_);
}

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

}  // namespace
}  // namespace holdfast::test

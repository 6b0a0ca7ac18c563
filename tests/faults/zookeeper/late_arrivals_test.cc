#include "faults/late_arrivals.h"

#include <gtest/gtest.h>

#include "faults/zookeeper/ground.h"

namespace holdfast::test {
namespace {

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

}  // namespace
}  // namespace holdfast::test

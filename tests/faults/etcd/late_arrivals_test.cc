#include "faults/late_arrivals.h"

#include <gtest/gtest.h>

#include "faults/etcd/ground.h"

namespace holdfast::test {
namespace {

using EtcdLateArrivals = OnEtcd;

TEST_F(EtcdLateArrivals, AWakeUpThatComesTooLateIsNoGrant) {
  a_wake_up_that_comes_too_late_is_no_grant(bad_line_);
}
TEST_F(EtcdLateArrivals, AnAttemptThatWasGivenUp) {
  an_attempt_that_was_given_up_comes_too_late(bad_line_, engine::Kind::mutex);
}
TEST_F(EtcdLateArrivals, APlaceInLineThatWasGivenUp) {
  an_attempt_that_was_given_up_comes_too_late(bad_line_, engine::Kind::shared_mutex);
}
TEST_F(EtcdLateArrivals, AnOpeningOfARoundThatIsOver) {
  an_opening_that_comes_too_late_opens_nothing(bad_line_, 1);
}
TEST_F(EtcdLateArrivals, AnOpeningForAPartyThatHasLeft) {
  nobody_enters_with_a_party_that_has_left(bad_line_, 1);
}
TEST_F(EtcdLateArrivals, AnUnansweredChangeIsRemembered) {
  an_unanswered_change_is_remembered(bad_line_);
}
TEST_F(EtcdLateArrivals, AnUnansweredChangeIsNotMadeOverOthers) {
  an_unanswered_change_is_not_made_over_others(bad_line_);
}
TEST_F(EtcdLateArrivals, AnUnansweredUpdateIsMadeOnce) {
  an_unanswered_update_is_made_once(bad_line_);
}

}  // namespace
}  // namespace holdfast::test

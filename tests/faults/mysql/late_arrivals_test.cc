// SPDX-License-Identifier: Apache-2.0

#include "faults/late_arrivals.h"

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"

namespace holdfast::test {
namespace {

using MysqlLateArrivals = OnMysql;

TEST_F(MysqlLateArrivals, AWakeUpThatComesTooLateIsNoGrant) {
  a_wake_up_that_comes_too_late_is_no_grant(bad_line_);
}
TEST_F(MysqlLateArrivals, AGrantWhoseAnswerWasLostIsNoYounger) {
  a_grant_whose_answer_was_lost_is_no_younger(bad_line_);
}
TEST_F(MysqlLateArrivals, AnAttemptThatWasGivenUp) {
  an_attempt_that_was_given_up_comes_too_late(bad_line_, engine::Kind::mutex);
}
TEST_F(MysqlLateArrivals, AQueuedClaimThatWasGivenUp) {
  an_attempt_that_was_given_up_comes_too_late(bad_line_, engine::Kind::shared_mutex);
}
TEST_F(MysqlLateArrivals, AnOpeningOfARoundThatIsOver) {
  an_opening_that_comes_too_late_opens_nothing(bad_line_, 3);
}
TEST_F(MysqlLateArrivals, AnOpeningForAPartyThatHasLeft) {
  nobody_enters_with_a_party_that_has_left(bad_line_, 3);
}
TEST_F(MysqlLateArrivals, AChangeOfAClaim) {
  a_change_of_a_claim_that_comes_too_late_changes_nothing(bad_line_);
}
TEST_F(MysqlLateArrivals, AnUnansweredChangeIsRemembered) {
  an_unanswered_change_is_remembered(bad_line_);
}
TEST_F(MysqlLateArrivals, AnUnansweredChangeIsNotMadeOverOthers) {
  an_unanswered_change_is_not_made_over_others(bad_line_);
}
TEST_F(MysqlLateArrivals, AnUnansweredUpdateIsMadeOnce) {
  an_unanswered_update_is_made_once(bad_line_);
}

}  // namespace
}  // namespace holdfast::test

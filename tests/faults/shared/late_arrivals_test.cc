// SPDX-License-Identifier: Apache-2.0

#include "faults/late_arrivals.h"

#include "faults/shared/rows.h"

namespace holdfast::test {
namespace {

using LateArrivals = OnRow;

TEST_P(LateArrivals, AWakeUpThatComesTooLateIsNoGrant) {
  a_wake_up_that_comes_too_late_is_no_grant(bad_line_);
}
TEST_P(LateArrivals, AnUnansweredChangeIsRemembered) {
  an_unanswered_change_is_remembered(bad_line_);
}
TEST_P(LateArrivals, AnUnansweredChangeIsNotMadeOverOthers) {
  an_unanswered_change_is_not_made_over_others(bad_line_);
}
TEST_P(LateArrivals, AnUnansweredUpdateIsMadeOnce) {
  an_unanswered_update_is_made_once(bad_line_);
}

INSTANTIATE_TEST_SUITE_P(, LateArrivals, testing::ValuesIn(rows()), name_of);

using LateGrants = OnRow;

TEST_P(LateGrants, AGrantWhoseAnswerWasLostIsNoYounger) {
  a_grant_whose_answer_was_lost_is_no_younger(bad_line_);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LateGrants);
INSTANTIATE_TEST_SUITE_P(, LateGrants,
                         testing::ValuesIn(rows_with(&Row::attempts_keep_lease)),
                         name_of);

using LateAttempts = OnRow;

TEST_P(LateAttempts, AnAttemptThatWasGivenUp) {
  an_attempt_that_was_given_up_comes_too_late(bad_line_, engine::Kind::mutex);
}
TEST_P(LateAttempts, AClaimInTheQueueThatWasGivenUp) {
  an_attempt_that_was_given_up_comes_too_late(bad_line_, engine::Kind::shared_mutex);
}
TEST_P(LateAttempts, AChangeOfAClaim) {
  a_change_of_a_claim_that_comes_too_late_changes_nothing(bad_line_);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LateAttempts);
INSTANTIATE_TEST_SUITE_P(, LateAttempts,
                         testing::ValuesIn(rows_with(&Row::leaves_connections)),
                         name_of);

using LateOpenings = OnRow;

TEST_P(LateOpenings, OfARoundThatIsOver) {
  an_opening_that_comes_too_late_opens_nothing(bad_line_,
                                               *GetParam().calls_before_opening);
}
TEST_P(LateOpenings, ForAPartyThatHasLeft) {
  a_party_that_has_left_opens_no_barrier(bad_line_, *GetParam().calls_before_opening);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LateOpenings);
INSTANTIATE_TEST_SUITE_P(, LateOpenings,
                         testing::ValuesIn(rows_with(&Row::calls_before_opening)),
                         name_of);

}  // namespace
}  // namespace holdfast::test

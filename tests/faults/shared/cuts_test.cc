// SPDX-License-Identifier: Apache-2.0

#include "faults/cuts.h"

#include "faults/shared/rows.h"

namespace holdfast::test {
namespace {

using Cuts = OnRow;

TEST_P(Cuts, AHoldOutlivesManyShortOnes) { a_hold_outlives_many_short_cuts(bad_line_); }
TEST_P(Cuts, AHoldOutlivesALongerOne) { a_hold_outlives_a_longer_cut(bad_line_); }
TEST_P(Cuts, LostBeforeAnotherGetsIn) {
  a_cut_loses_it_before_another_gets_in(bad_line_);
}
TEST_P(Cuts, AStandstillLosesItBeforeAnotherGetsIn) {
  a_standstill_loses_it_before_another_gets_in(bad_line_);
}
TEST_P(Cuts, AGrantThatComesTooLateIsNone) {
  a_grant_that_comes_too_late_is_none(bad_line_);
}
TEST_P(Cuts, AnUnlockIsNotForgotten) { an_unlock_is_not_forgotten(bad_line_); }
TEST_P(Cuts, AnUnlockIsNotForgottenInALongOne) {
  an_unlock_is_not_forgotten_in_a_long_cut(bad_line_);
}
TEST_P(Cuts, AWakeUpThatWasLostIsFoundOut) { a_lost_wakeup_is_found_out(bad_line_); }
TEST_P(Cuts, ACallWithoutTimeDoesNotWait) {
  a_call_without_time_does_not_wait(bad_line_);
}

INSTANTIATE_TEST_SUITE_P(, Cuts, testing::ValuesIn(rows()), name_of);

using Standstills = OnRow;

TEST_P(Standstills, AnAttemptThatArrivesLateLeavesNothing) {
  an_attempt_that_arrives_late_leaves_nothing(bad_line_);
}
TEST_P(Standstills, AConnectionThatStandsIsLeft) {
  a_connection_that_stands_is_left(bad_line_);
}
TEST_P(Standstills, ARenewalThatIsStuckHoldsUpNoOther) {
  a_renewal_that_is_stuck_holds_up_no_other(bad_line_);
}
TEST_P(Standstills, AHoldOutlivesAConnectionThatStands) {
  a_hold_outlives_a_connection_that_stands(bad_line_);
}
TEST_P(Standstills, AWaiterOutlivesAConnectionThatStands) {
  a_waiter_outlives_a_connection_that_stands(bad_line_);
}
TEST_P(Standstills, AServerThatFallsSilent) { a_server_that_falls_silent(bad_line_); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Standstills);
INSTANTIATE_TEST_SUITE_P(, Standstills,
                         testing::ValuesIn(rows_with(&Row::leaves_connections)),
                         name_of);

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "faults/cuts.h"

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"

namespace holdfast::test {
namespace {

using MysqlCuts = OnMysql;

TEST_F(MysqlCuts, AHoldOutlivesManyShortOnes) {
  a_hold_outlives_many_short_cuts(bad_line_);
}
TEST_F(MysqlCuts, AHoldOutlivesALongerOne) { a_hold_outlives_a_longer_cut(bad_line_); }
TEST_F(MysqlCuts, LostBeforeAnotherGetsIn) {
  a_cut_loses_it_before_another_gets_in(bad_line_);
}
TEST_F(MysqlCuts, AStandstillLosesItBeforeAnotherGetsIn) {
  a_standstill_loses_it_before_another_gets_in(bad_line_);
}
TEST_F(MysqlCuts, AGrantThatComesTooLateIsNone) {
  a_grant_that_comes_too_late_is_none(bad_line_);
}
TEST_F(MysqlCuts, AnUnlockIsNotForgotten) { an_unlock_is_not_forgotten(bad_line_); }
TEST_F(MysqlCuts, AnUnlockIsNotForgottenInALongOne) {
  an_unlock_is_not_forgotten_in_a_long_cut(bad_line_);
}
TEST_F(MysqlCuts, AWakeUpThatWasLostIsFoundOut) {
  a_wake_up_that_nobody_heard_is_found_out(bad_line_);
}
TEST_F(MysqlCuts, AnAttemptThatArrivesLateLeavesNothing) {
  an_attempt_that_arrives_late_leaves_nothing(bad_line_);
}
TEST_F(MysqlCuts, AConnectionThatStandsIsLeft) {
  a_connection_that_stands_is_left(bad_line_);
}
TEST_F(MysqlCuts, AHoldOutlivesAConnectionThatStands) {
  a_hold_outlives_a_connection_that_stands(bad_line_);
}
TEST_F(MysqlCuts, AWaiterOutlivesAConnectionThatStands) {
  a_waiter_outlives_a_connection_that_stands(bad_line_);
}
TEST_F(MysqlCuts, AServerThatFallsSilent) { a_server_that_falls_silent(bad_line_); }

}  // namespace
}  // namespace holdfast::test

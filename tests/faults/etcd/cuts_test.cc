// SPDX-License-Identifier: Apache-2.0

#include "faults/cuts.h"

#include <gtest/gtest.h>

#include "faults/etcd/ground.h"

namespace holdfast::test {
namespace {

using EtcdCuts = OnEtcd;

TEST_F(EtcdCuts, AHoldOutlivesManyShortOnes) {
  a_hold_outlives_many_short_cuts(bad_line_);
}
TEST_F(EtcdCuts, AHoldOutlivesALongerOne) { a_hold_outlives_a_longer_cut(bad_line_); }
TEST_F(EtcdCuts, LostBeforeAnotherGetsIn) {
  a_cut_loses_it_before_another_gets_in(bad_line_);
}
TEST_F(EtcdCuts, AStandstillLosesItBeforeAnotherGetsIn) {
  a_standstill_loses_it_before_another_gets_in(bad_line_);
}
TEST_F(EtcdCuts, AGrantThatComesTooLateIsNone) {
  a_grant_that_comes_too_late_is_none(bad_line_);
}
TEST_F(EtcdCuts, AnUnlockIsNotForgotten) { an_unlock_is_not_forgotten(bad_line_); }
TEST_F(EtcdCuts, AnUnlockIsNotForgottenInALongOne) {
  an_unlock_is_not_forgotten_in_a_long_cut(bad_line_);
}
TEST_F(EtcdCuts, AWakeUpThatNoWaiterHeardIsFoundOut) {
  a_wake_up_that_nobody_heard_is_found_out(bad_line_);
}
TEST_F(EtcdCuts, AnAttemptThatArrivesLateLeavesNothing) {
  an_attempt_that_arrives_late_leaves_nothing(bad_line_);
}
TEST_F(EtcdCuts, AConnectionThatStandsIsLeft) {
  a_connection_that_stands_is_left(bad_line_);
}
TEST_F(EtcdCuts, AHoldOutlivesAConnectionThatStands) {
  a_hold_outlives_a_connection_that_stands(bad_line_);
}
TEST_F(EtcdCuts, AWaiterOutlivesAConnectionThatStands) {
  a_waiter_outlives_a_connection_that_stands(bad_line_);
}
TEST_F(EtcdCuts, AServerThatFallsSilent) { a_server_that_falls_silent(bad_line_); }

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "faults/cuts.h"

#include <gtest/gtest.h>

#include "faults/zookeeper/ground.h"

namespace holdfast::test {
namespace {

using Cuts = OnZookeeper;

TEST_F(Cuts, AHoldOutlivesManyShortOnes) { a_hold_outlives_many_short_cuts(bad_line_); }
TEST_F(Cuts, AHoldOutlivesALongerOne) { a_hold_outlives_a_longer_cut(bad_line_); }
TEST_F(Cuts, LostBeforeAnotherGetsIn) {
  a_cut_loses_it_before_another_gets_in(bad_line_);
}
TEST_F(Cuts, AStandstillLosesItBeforeAnotherGetsIn) {
  a_standstill_loses_it_before_another_gets_in(bad_line_);
}
TEST_F(Cuts, AGrantThatComesTooLateIsNone) {
  a_grant_that_comes_too_late_is_none(bad_line_);
}
TEST_F(Cuts, AnUnlockIsNotForgotten) { an_unlock_is_not_forgotten(bad_line_); }
TEST_F(Cuts, AnUnlockIsNotForgottenInALongOne) {
  an_unlock_is_not_forgotten_in_a_long_cut(bad_line_);
}
TEST_F(Cuts, AWakeUpThatNoWaiterHeardIsFoundOut) {
  a_wake_up_that_nobody_heard_is_found_out(bad_line_);
}

}  // namespace
}  // namespace holdfast::test

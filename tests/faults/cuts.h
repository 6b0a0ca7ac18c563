// SPDX-License-Identifier: Apache-2.0

// tests/faults/cuts.h - connections that are cut, stand still or come back late.

#pragma once

#include "faults/bad_line.h"

namespace holdfast::test {

void a_hold_outlives_many_short_cuts(const BadLine& on);
void a_hold_outlives_a_longer_cut(const BadLine& on);
void a_cut_loses_it_before_another_gets_in(const BadLine& on);
void a_standstill_loses_it_before_another_gets_in(const BadLine& on);
void a_grant_that_comes_too_late_is_none(const BadLine& on);
void an_attempt_that_arrives_late_leaves_nothing(const BadLine& on);
void an_unlock_is_not_forgotten(const BadLine& on);
void an_unlock_is_not_forgotten_in_a_long_cut(const BadLine& on);
void a_server_that_falls_silent(const BadLine& on);
void a_call_without_time_does_not_wait(const BadLine& on);
void a_lost_wakeup_is_found_out(const BadLine& on);

// These are as if the other side had lost its power: nothing comes back, and nothing is
// closed.
void a_connection_that_stands_is_left(const BadLine& on);
void a_renewal_that_is_stuck_holds_up_no_other(const BadLine& on);
void a_hold_outlives_a_connection_that_stands(const BadLine& on);
void a_waiter_outlives_a_connection_that_stands(const BadLine& on);

}  // namespace holdfast::test

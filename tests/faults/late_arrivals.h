// SPDX-License-Identifier: Apache-2.0

// tests/faults/late_arrivals.h - requests that arrive after their caller gave them up.

#pragma once

#include "faults/bad_line.h"

namespace holdfast::test {

void a_wake_up_that_comes_too_late_is_no_grant(const BadLine& on);

// This is for an engine whose leases belong to claims, not to sessions.
void a_grant_whose_answer_was_lost_is_no_younger(const BadLine& on);

// This is for an engine that gives up a connection that stands: the attempt is still
// under way on it when the claim is dropped on another one.
void an_attempt_that_was_given_up_comes_too_late(const BadLine& on, engine::Kind kind);

// One party has seen all the others and opens the barrier with its call after `calls`
// others. That call stands on its connection until a party of the next round is there.
void an_opening_that_comes_too_late_opens_nothing(const BadLine& on, int calls);

// One party leaves while another one, which has seen it, opens the barrier with its
// call after `calls` others.
void a_party_that_has_left_opens_no_barrier(const BadLine& on, int calls);

// A claim of 5 permits is made smaller twice; the first change arrives last.
void a_change_of_a_claim_that_comes_too_late_changes_nothing(const BadLine& on);

// The receipt of a change is kept until the caller asks for it again.
void an_unanswered_change_is_remembered(const BadLine& on);
void an_unanswered_change_is_not_made_over_others(const BadLine& on);

// However long the answer is missing, the change is made once, or the caller is told
// that it may have been made.
void an_unanswered_update_is_made_once(const BadLine& on);

}  // namespace holdfast::test

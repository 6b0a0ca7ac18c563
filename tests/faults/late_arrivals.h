// tests/faults/late_arrivals.h - what arrives so late that it means something else.

#pragma once

#include "faults/bad_line.h"

namespace holdfast::test {

void a_wake_up_that_comes_too_late_is_no_grant(const BadLine& on);

// Of an engine whose leases are of claims, not of sessions.
void a_grant_whose_answer_was_lost_is_no_younger(const BadLine& on);

// Of an engine that leaves a connection that stands: the attempt is still under way on
// it when it is given up on another.
void an_attempt_that_was_given_up_comes_too_late(const BadLine& on, engine::Kind kind);

// One party has seen all of them and says so with its call after `calls` others, which
// stands on its line until a party of the next round is there.
void an_opening_that_comes_too_late_opens_nothing(const BadLine& on, int calls);

// One party leaves while another one, which has seen it, opens with its call after
// `calls` others.
void nobody_enters_with_a_party_that_has_left(const BadLine& on, int calls);

// A claim of 5 permits is made smaller twice; the first change arrives last.
void a_change_of_a_claim_that_comes_too_late_changes_nothing(const BadLine& on);

// What is known of a change, or is to be found out, is kept until it is asked for.
void an_unanswered_change_is_remembered(const BadLine& on);
void an_unanswered_change_is_not_made_over_others(const BadLine& on);

// However long the answer is missing: made once, or the caller is told that it may be.
void an_unanswered_update_is_made_once(const BadLine& on);

}  // namespace holdfast::test

// tests/faults/storm.h - locks and numbers under a line that fails at random, and under
// leases that end.
//
// Each works on one name for some seconds of storm, until it goes on after that, and
// expects what its name says.

#pragma once

#include "faults/bad_line.h"

namespace holdfast::test {

void a_mutex_has_one_holder(const BadLine& on);                    // "a"
void a_writer_is_alone(const BadLine& on);                         // "a"
void a_semaphore_has_no_more_than_its_permits(const BadLine& on);  // "a"
void no_add_is_forgotten_or_made_twice(const BadLine& on);         // "n"

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// tests/faults/storm.h - locks and numbers under a connection that fails at random, and
// under leases that end.
//
// Each function works on one name for some seconds of storm and until the work goes on
// after it, and expects what its name says.

#pragma once

#include "faults/bad_line.h"

namespace holdfast::test {

void a_mutex_has_one_holder(const BadLine& on);                    // "a"
void a_writer_is_alone(const BadLine& on);                         // "a"
void a_semaphore_has_no_more_than_its_permits(const BadLine& on);  // "a"
void no_add_is_forgotten_or_made_twice(const BadLine& on);         // "n"

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Locks and numbers are used while the connection fails at random and leases end.

#include "faults/storm.h"

#include "faults/shared/rows.h"

namespace holdfast::test {
namespace {

using engine::Kind;

using Storm = OnRow;

TEST_P(Storm, AMutexHasOneHolder) {
  a_mutex_has_one_holder(bad_line_);
  EXPECT_TRUE(bad_line_.has_claims({Kind::mutex, "a"}, 0));
}

TEST_P(Storm, AWriterIsAlone) {
  a_writer_is_alone(bad_line_);
  EXPECT_TRUE(bad_line_.has_claims({Kind::shared_mutex, "a"}, 0));
}

TEST_P(Storm, ASemaphoreHasNoMoreThanItsPermits) {
  a_semaphore_has_no_more_than_its_permits(bad_line_);
  EXPECT_TRUE(bad_line_.has_claims({Kind::semaphore, "a"}, 0));
}

TEST_P(Storm, NoAddIsForgottenOrMadeTwice) {
  no_add_is_forgotten_or_made_twice(bad_line_);
}

INSTANTIATE_TEST_SUITE_P(, Storm, testing::ValuesIn(rows()), name_of);

}  // namespace
}  // namespace holdfast::test

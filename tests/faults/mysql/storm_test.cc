// SPDX-License-Identifier: Apache-2.0

// Locks and numbers are used while the connection fails at random and leases expire.

#include "faults/storm.h"

#include <gtest/gtest.h>

#include "faults/mysql/ground.h"

namespace holdfast::test {
namespace {

using engine::Kind;

using MysqlStorm = OnMysql;

TEST_F(MysqlStorm, AMutexHasOneHolder) {
  a_mutex_has_one_holder(bad_line_);
  EXPECT_TRUE(has_claims({Kind::mutex, "a"}, 0));
}

TEST_F(MysqlStorm, AWriterIsAlone) {
  a_writer_is_alone(bad_line_);
  EXPECT_TRUE(has_claims({Kind::shared_mutex, "a"}, 0));
}

TEST_F(MysqlStorm, ASemaphoreHasNoMoreThanItsPermits) {
  a_semaphore_has_no_more_than_its_permits(bad_line_);
  EXPECT_TRUE(has_claims({Kind::semaphore, "a"}, 0));
}

TEST_F(MysqlStorm, NoAddIsForgottenOrMadeTwice) {
  no_add_is_forgotten_or_made_twice(bad_line_);
}

}  // namespace
}  // namespace holdfast::test

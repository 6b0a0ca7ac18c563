// SPDX-License-Identifier: Apache-2.0

// Locks and registers while the connection fails at random and sessions end.

#include "faults/storm.h"

#include <gtest/gtest.h>

#include "faults/zookeeper/ground.h"

namespace holdfast::test {
namespace {

using ZookeeperStorm = OnZookeeper;

TEST_F(ZookeeperStorm, AMutexHasOneHolder) {
  a_mutex_has_one_holder(bad_line_);
  EXPECT_TRUE(has_nodes("a", 0));
}

TEST_F(ZookeeperStorm, AWriterIsAlone) {
  a_writer_is_alone(bad_line_);
  EXPECT_TRUE(has_nodes("a", 0));
}

TEST_F(ZookeeperStorm, ASemaphoreHasNoMoreThanItsPermits) {
  a_semaphore_has_no_more_than_its_permits(bad_line_);
  EXPECT_TRUE(has_nodes("a/leases", 0));
  EXPECT_TRUE(has_nodes("a/locks", 0));
}

TEST_F(ZookeeperStorm, NoAddIsForgottenOrMadeTwice) {
  no_add_is_forgotten_or_made_twice(bad_line_);
}

}  // namespace
}  // namespace holdfast::test

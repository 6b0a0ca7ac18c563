// SPDX-License-Identifier: Apache-2.0

// Locks and registers while the connection fails at random and leases end.

#include "faults/storm.h"

#include <gtest/gtest.h>

#include "faults/etcd/ground.h"

namespace holdfast::test {
namespace {

using EtcdStorm = OnEtcd;

TEST_F(EtcdStorm, AMutexHasOneHolder) {
  a_mutex_has_one_holder(bad_line_);
  EXPECT_TRUE(has_keys("a", 0));
}

TEST_F(EtcdStorm, AWriterIsAlone) {
  a_writer_is_alone(bad_line_);
  EXPECT_TRUE(has_keys("a", 0));
}

TEST_F(EtcdStorm, ASemaphoreHasNoMoreThanItsPermits) {
  a_semaphore_has_no_more_than_its_permits(bad_line_);
  EXPECT_TRUE(has_keys("a/claims", 0));
}

TEST_F(EtcdStorm, NoAddIsForgottenOrMadeTwice) {
  no_add_is_forgotten_or_made_twice(bad_line_);
}

}  // namespace
}  // namespace holdfast::test

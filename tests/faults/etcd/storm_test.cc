// Locks and numbers under a line that fails at random, and under leases that end.

#include "faults/storm.h"

#include <gtest/gtest.h>

#include "faults/etcd/ground.h"

namespace holdfast::test {
namespace {

class EtcdStorm : public OnEtcd {
 protected:
  Storm storm_{line_, [this](Ms ttl) { return open(ttl); },
               [this](Ms ttl) { return open_directly(ttl); }};
};

TEST_F(EtcdStorm, AMutexHasOneHolder) {
  a_mutex_has_one_holder(storm_);
  EXPECT_TRUE(has_keys("a", 0));
}

TEST_F(EtcdStorm, AWriterIsAlone) {
  a_writer_is_alone(storm_);
  EXPECT_TRUE(has_keys("a", 0));
}

TEST_F(EtcdStorm, ASemaphoreHasNoMoreThanItsPermits) {
  a_semaphore_has_no_more_than_its_permits(storm_);
  EXPECT_TRUE(has_keys("a/claims", 0));
}

TEST_F(EtcdStorm, NoAddIsForgottenOrMadeTwice) {
  no_add_is_forgotten_or_made_twice(storm_);
}

}  // namespace
}  // namespace holdfast::test

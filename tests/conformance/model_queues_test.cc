// SPDX-License-Identifier: Apache-2.0

// Four processes wait: the model says which one gets in, after which other, and after
// whose death.

#include <gtest/gtest.h>

#include "conformance/conformance.h"
#include "conformance/models/crowd.h"

namespace holdfast::test {
namespace {

using engine::Kind;

class ModelQueues : public Conformance {
 protected:
  void play(const Form& form) {
    Crowd crowd(engine(), form, name("a"));
    if (!crowd.supported()) return;  // models_test.cc checks that it is refused.
    for (int i = steps_to_do(); i > 0 && !HasFailure(); --i) crowd.step();
  }
};

HOLDFAST_CONFORMANCE(ModelQueues);

TEST_P(ModelQueues, OfAMutex) { play({"mutex", Kind::mutex}); }

TEST_P(ModelQueues, OfAFairMutex) { play({"fair_mutex", Kind::fair_mutex}); }

TEST_P(ModelQueues, OfARecursiveMutex) { play({"recursive_mutex", Kind::mutex}); }

TEST_P(ModelQueues, OfASharedMutex) { play({"shared_mutex", Kind::shared_mutex}); }

TEST_P(ModelQueues, OfASemaphore) { play({"semaphore", Kind::semaphore, 3}); }

TEST_P(ModelQueues, OfAnElection) { play({"election", Kind::election}); }

TEST_P(ModelQueues, OfADoubleBarrier) {
  play({"double_barrier", Kind::double_barrier, 3});
}

}  // namespace
}  // namespace holdfast::test

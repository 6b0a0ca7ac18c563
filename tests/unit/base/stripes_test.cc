// SPDX-License-Identifier: Apache-2.0

#include "base/stripes.h"

#include <gtest/gtest.h>

#include <thread>

namespace holdfast::base {
namespace {

TEST(StripesTest, AnObjectAlwaysHasTheSameMutex) {
  static constinit Stripes stripes;
  int object = 0;
  Mutex& mutex = stripes.of(&object);
  EXPECT_EQ(&stripes.of(&object), &mutex);
  std::thread([&] { EXPECT_EQ(&stripes.of(&object), &mutex); }).join();
}

// The test does in the parent what a child does first. A child cannot use the old
// mutexes, because a thread of the parent may have had any of them locked.
TEST(ForkEpochTest, AChildHasMutexesOfItsOwn) {
  static constinit Stripes stripes;
  int object = 0;
  const Mutex* const parents = &stripes.of(&object);
  enter_child();
  EXPECT_NE(&stripes.of(&object), parents);
}

}  // namespace
}  // namespace holdfast::base

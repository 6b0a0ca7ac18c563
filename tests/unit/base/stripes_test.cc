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

// What a child does first is done here in the parent.
TEST(ForkEpochTest, AChildDoesNotWaitForThreadsOfItsParent) {
  static constinit Stripes stripes;
  int object = 0;
  MutexLock parents(stripes.of(&object));
  enter_child();
  MutexLock childs(stripes.of(&object));
}

}  // namespace
}  // namespace holdfast::base

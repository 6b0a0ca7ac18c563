#include "base/fork_epoch.h"

#include <gtest/gtest.h>

#include "core/hub.h"
#include "holdfast/mutex.h"
#include "holdfast/recursive_mutex.h"
#include "world.h"

namespace holdfast {
namespace {

TEST(ForkEpochTest, StaysInTheParentAndChangesInAChild) {
  base::watch_forks();
  const auto before = base::fork_epoch();
  EXPECT_EQ(base::fork_epoch(), before);
  base::enter_child();
  EXPECT_NE(base::fork_epoch(), before);
}

// What a child does first is done here in the parent: from then on its clients are
// another process's.
TEST(ForkEpochTest, MakesClientsAndHoldsVoid) {
  const auto world = test::make_world(test::Sort::leased_gated);
  {
    const Client client = test::join(world);
    Mutex mutex(client, "a");
    RecursiveMutex recursive(client, "b");
    auto hold = mutex.acquire().value();
    recursive.lock();
    base::enter_child();

    EXPECT_FALSE(hold.valid());
    EXPECT_TRUE(hold.lost().stop_requested());
    EXPECT_EQ(hold.release().error().code, Errc::forked);
    EXPECT_EQ(mutex.acquire().error().code, Errc::forked);
    EXPECT_EQ(recursive.acquire().error().code, Errc::forked);
    EXPECT_EQ(recursive.release().error().code, Errc::forked);
    EXPECT_EQ(recursive.depth(), 0u);
    recursive.unlock();
  }
  EXPECT_EQ(test::places(world, "a"), 1u) << "the parent's, not ours to give back";
  EXPECT_EQ(test::places(world, "b"), 1u);
}

}  // namespace
}  // namespace holdfast

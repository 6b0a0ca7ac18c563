// SPDX-License-Identifier: Apache-2.0

#include "base/fork_epoch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "base/common_failures.h"
#include "core/client_state.h"
#include "holdfast/mutex.h"
#include "holdfast/recursive_mutex.h"
#include "support/awaited.h"
#include "support/eventually.h"
#include "world.h"

namespace holdfast {
namespace {

// Returns whether `work` had no failures in a child process.
bool passes_in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST(ForkEpochTest, StaysInTheParentAndChangesInAChild) {
  base::watch_forks();
  const auto before = base::fork_epoch();
  EXPECT_TRUE(passes_in_child([&] { EXPECT_NE(base::fork_epoch(), before); }));
  EXPECT_EQ(base::fork_epoch(), before);
}

TEST(ForkEpochTest, AsynchronousCallsFailInAChild) {
  const auto world = test::make_world(test::Sort::leased_with_gate);
  Mutex theirs(test::join(world), "a");
  const auto held = theirs.acquire();
  Client client = test::join(world);
  Mutex mutex(client, "a");
  std::atomic<int> told{0};
  mutex.acquire_async([&](Result<Hold>) { ++told; });
  ASSERT_TRUE(test::eventually([&] { return test::places(world, "a") == 2; }));
  EXPECT_TRUE(passes_in_child([&] {
    const auto caller = std::this_thread::get_id();
    const auto refused = test::awaited<Hold>([&](Completion<Hold> done) {
      mutex.acquire_async([done = std::move(done), caller](Result<Hold> hold) mutable {
        EXPECT_NE(std::this_thread::get_id(), caller);
        done(std::move(hold));
      });
    });
    EXPECT_EQ(refused.error().code, Errc::forked);
    EXPECT_EQ(refused.error().context, base::client_forked("a").context);
    client.close();
    EXPECT_EQ(told, 0) << "the call belongs to the parent";
  }));
  client.close();
  EXPECT_EQ(told, 1);
}

TEST(ForkEpochTest, MakesClientsAndHoldsVoid) {
  const auto world = test::make_world(test::Sort::leased_with_gate);
  std::optional<Client> client = test::join(world);
  std::optional<Mutex> mutex(std::in_place, *client, "a");
  std::optional<RecursiveMutex> recursive(std::in_place, *client, "b");
  std::optional<Hold> hold = mutex->acquire().value();
  recursive->lock();
  EXPECT_TRUE(passes_in_child([&] {
    EXPECT_FALSE(hold->valid());
    EXPECT_TRUE(hold->lost().stop_requested());
    const auto expect_forked = [](const Failure& why, const std::string& name) {
      EXPECT_EQ(why.code, Errc::forked);
      EXPECT_NE(why.message().find("\"" + name + "\""), std::string::npos)
          << why.message();
    };
    expect_forked(hold->release().error(), "a");
    expect_forked(mutex->acquire().error(), "a");
    expect_forked(recursive->acquire().error(), "b");
    expect_forked(recursive->release().error(), "b");
    EXPECT_EQ(recursive->depth(), 0u);
    recursive->unlock();
    hold.reset();
    recursive.reset();
    mutex.reset();
    client.reset();
    EXPECT_EQ(test::places(world, "a"), 1u)
        << "the child gave back the claim of its parent";
    EXPECT_EQ(test::places(world, "b"), 1u);
  }));
  EXPECT_TRUE(hold->valid());
  recursive->unlock();
}

}  // namespace
}  // namespace holdfast

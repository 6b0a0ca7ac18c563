// SPDX-License-Identifier: Apache-2.0

// Directories that are deleted while they are in use, and nodes of other clients in
// them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/zookeeper/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

using Directories = OnZookeeper;

TEST_F(Directories, TheRootIsMadeWhenItIsMissing) {
  ASSERT_FALSE(shell_.exists(root_));
  Mutex mutex(open(), "a");
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_EQ(nodes("a").size(), 1u);
}

TEST_F(Directories, EmptyOnesAreRemovedAndTokensGrowAllTheSame) {
  const Client client = open();
  FencingToken last;
  for (int i = 0; i < 4; ++i) {
    Mutex mutex(client, "a");
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_GT(hold->token(), last);
    last = hold->token();
    EXPECT_TRUE(only_node("a").ends_with("-lock-0000000000")) << only_node("a");
    EXPECT_TRUE(hold->release());
    ASSERT_TRUE(eventually([&] { return !shell_.exists(root_); }));
  }
}

// The server removes empty containers every 200 ms, so many locks are taken just when
// their directory is deleted.
TEST_F(Directories, MayGoAtAnyTime) {
  std::atomic<bool> done{false};
  std::atomic<int> inside{0};
  std::vector<std::jthread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, client = open_directly()] {
      Mutex mutex(client, "a");
      while (!done) {
        auto hold = mutex.acquire({.wait = patience()});
        if (!hold) {
          ADD_FAILURE() << hold.error().message();
          return;
        }
        EXPECT_EQ(++inside, 1);
        --inside;
        EXPECT_TRUE(hold->release());
        std::this_thread::sleep_for(1ms);
      }
    });
  }
  // This deletes the directory more often than the server does.
  const auto end = Clock::now() + scaled(3s);
  int removed = 0;
  while (Clock::now() < end) {
    try {
      shell_.remove(path("a"));
      ++removed;
    } catch (const std::runtime_error&) {
      std::this_thread::yield();  // the directory is in use, or does not exist
    }
  }
  done = true;
  threads.clear();
  EXPECT_GT(removed, 10);
}

TEST_F(Directories, ARemovedNodeIsALostHold) {
  const auto ttl = scaled(6s);
  Mutex mutex(open(ttl), "a");
  const auto hold = mutex.acquire().value();
  shell_.remove(only_node("a"));
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }, ttl / 2))
      << "a renewal would have told";
  EXPECT_TRUE(eventually([&] { return !shell_.exists(path("a")); }));
  EXPECT_TRUE(Mutex(open(), "a").try_lock());
}

TEST_F(Directories, ARemovedWaiterQueuesAgain) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  const std::string held = only_node("a");
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_nodes("a", 2));
  shell_.remove(other_node(held));
  EXPECT_TRUE(has_nodes("a", 2));
  EXPECT_TRUE(still_waits(entered));
  holder.unlock();
  EXPECT_TRUE(entered.get().token);
}

TEST_F(Directories, AllThatIsInThemMayBeRemoved) {
  Mutex holder(open_directly(scaled(3s)), "a");
  const auto hold = holder.acquire().value();
  const std::string held = only_node("a");
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_nodes("a", 2));
  shell_.remove(other_node(held));
  shell_.remove(held);
  const Entered in = entered.get();
  EXPECT_TRUE(in.token) << in.why_not;
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
}

// Curator orders a child without a base name by its whole name, and so does Holdfast.
TEST_F(Directories, AStrangersNodeBlocksAsItBlocksCurator) {
  shell_.create(root_);
  shell_.create(path("a"));
  shell_.create(path("a") + "/0");
  Mutex mutex(open(), "a");
  EXPECT_FALSE(mutex.try_lock());
  auto entered = wait_for(mutex);
  EXPECT_TRUE(still_waits(entered));
  shell_.remove(path("a") + "/0");
  EXPECT_TRUE(entered.get().token);
}

TEST_F(Directories, AStrangersNodeBehindUsDoesNot) {
  shell_.create(root_);
  shell_.create(path("a"));
  shell_.create(path("a") + "/zzz");
  Mutex mutex(open(), "a");
  EXPECT_TRUE(mutex.try_lock());
}

TEST_F(Directories, OddNamesAndContentsAreSurvived) {
  shell_.create(root_);
  shell_.create(path("a"));
  for (const char* name :
       {"lock-", "-lock-", "_c_", "_c_-lock-", "x-lock-99999999999999999999",
        "_c_00000000-0000-0000-0000-000000000000-lock-x", "\xc3\xa4", "__READ__"}) {
    shell_.create(path("a") + "/" + name, std::string(100'000, '\0'));
  }
  const Client client = open();
  const auto mutex = client.session().bind({Kind::mutex, "a"}).value();
  const auto entries = mutex->survey(100, soon());
  ASSERT_TRUE(entries) << entries.error().message();
  EXPECT_GE(entries->size(), 7u) << "a reader is none of a mutex";
  const auto refused = Mutex(client, "a").acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_kind) << refused.error().message();
}

TEST_F(Directories, ALongQueueIsWaitedFor) {
  constexpr int kOthers = 3000;
  shell_.create(root_);
  shell_.create(path("a"));
  std::vector<std::string> others;
  others.reserve(kOthers);
  for (int i = 0; i < kOthers; ++i) {
    others.push_back(
        shell_.create(path("a") + "/_c_f47ac10b-58cc-4372-a567-0e02b2c3d479-lock-", {},
                      ZOO_EPHEMERAL_SEQUENTIAL));
  }
  const Client client = open();
  const auto resource = client.session().bind({Kind::mutex, "a"}).value();
  EXPECT_EQ(resource->survey(10, soon()).value().size(), 10u);
  Mutex mutex(client, "a");
  auto entered = wait_for(mutex);
  ASSERT_TRUE(has_nodes("a", kOthers + 1));
  for (const std::string& each : others) shell_.remove(each);
  EXPECT_TRUE(entered.get().token);
}

}  // namespace
}  // namespace holdfast::test

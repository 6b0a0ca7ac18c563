// SPDX-License-Identifier: Apache-2.0

// How many requests each operation sends.

#include "faults/counts.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

#include "faults/zookeeper/ground.h"
#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/semaphore.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Counts : public OnZookeeper {
 protected:
  static int sum(const Words& words) {
    int result = 0;
    for (const auto& [word, number] : words) result += number;
    return result;
  }

  const Count count_{line_, {"ping"}};
};

TEST_F(Counts, AFreeLock) {
  const Client client = open();
  shell_.create(root_);
  shell_.create(path("a"));
  Mutex mutex(client, "a");
  EXPECT_EQ(spelt(count_.of([&] { EXPECT_TRUE(mutex.acquire().value().release()); })),
            "children2:1 create2:1 delete:1");
}

TEST_F(Counts, AHandOver) {
  shell_.create(root_);
  shell_.create(path("a"));
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  const auto scene = [&] {
    holder.lock();
    auto entered = wait_for(waiter);
    ASSERT_TRUE(has_nodes("a", 2));
    EXPECT_TRUE(still_waits(entered));
    holder.unlock();
    EXPECT_TRUE(entered.get().token);
    EXPECT_TRUE(has_nodes("a", 0));
  };
  const Words words =
      count_.of(scene);  // create, list, watch, perhaps list again, delete
  EXPECT_LE(sum(words), 5) << spelt(words);
}

// The holder goes after the waiter has listed the queue and before it watches.
TEST_F(Counts, AHolderThatGoesBeforeItIsWatched) {
  shell_.create(root_);
  shell_.create(path("a"));
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  waiter.lock();
  waiter.unlock();
  ASSERT_TRUE(has_nodes("a", 0));
  holder.lock();
  const Words before = line_.passed();
  line_.freeze_at_call(2);
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_nodes("a", 2));
  EXPECT_TRUE(still_waits(entered));
  holder.unlock();
  ASSERT_TRUE(has_nodes("a", 1));
  line_.thaw();
  EXPECT_TRUE(entered.get().token);
  EXPECT_TRUE(has_nodes("a", 0));
  EXPECT_EQ(spelt(count_.since(before)),
            "children2:1 create2:1 delete:1 exists:1 get:1");
}

// The first claim makes the directories and stores the capacity.
TEST_F(Counts, AFreshSemaphore) {
  shell_.create(root_);
  shell_.create(path("a"));
  Semaphore semaphore(open(), "a", 2);
  const Words before = line_.passed();
  EXPECT_TRUE(semaphore.acquire().value().release());
  const Words words = count_.since(before);
  EXPECT_LE(sum(words), 22) << spelt(words);
}

TEST_F(Counts, AFreePermit) {
  Semaphore semaphore(open(), "a", 2);
  const auto other = semaphore.acquire().value();
  EXPECT_EQ(
      spelt(count_.of([&] { EXPECT_TRUE(semaphore.acquire().value().release()); })),
      "children2:2 create2:1 delete:1 get:1 multi:1");
}

TEST_F(Counts, AWaitForAPermit) {
  shell_.create(root_);
  for (const char* each : {"a", "a/locks", "a/leases"}) shell_.create(path(each));
  Semaphore holder(open_directly(), "a", 1);
  Semaphore waiter(open(), "a", 1);
  ASSERT_TRUE(waiter.acquire().value().release());
  auto held = holder.acquire().value();
  const Words before = line_.passed();
  const int looks = line_.passed()["exists"];
  auto entered = std::async(std::launch::async, [&] {
    auto permit = waiter.acquire({.wait = patience()});
    return permit && permit->release();
  });
  ASSERT_TRUE(has_nodes("a/locks", 1));
  ASSERT_TRUE(eventually([&] { return line_.passed()["exists"] > looks; }))
      << "it has not begun to wait";
  EXPECT_TRUE(held.release());
  EXPECT_TRUE(entered.get());
  const Words words = count_.since(before);
  EXPECT_LE(sum(words), 12) << spelt(words);
}

TEST_F(Counts, TheLastParty) {
  shell_.create(root_);
  shell_.create(path("a"));
  shell_.create(path("a/01234567-89ab-cdef-0123-456789abcdef"), {}, ZOO_EPHEMERAL);
  DoubleBarrier barrier(open(), "a", 2);
  const Words before = line_.passed();
  EXPECT_TRUE(barrier.enter());
  EXPECT_EQ(spelt(count_.since(before)), "children2:1 create2:1 exists:2 multi:1");
}

TEST_F(Counts, AnAdd) {
  const Client client = open();
  Counter counter(client, "n");
  const Words words = count_.of([&] { EXPECT_TRUE(counter.add(1)); });
  EXPECT_EQ(sum(words), 1) << spelt(words);
}

TEST_F(Counts, AWaiterDoesNotPoll) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_nodes("a", 2));
  EXPECT_TRUE(still_waits(entered));
  const Words before = line_.passed();
  // The waiter looks again every few seconds whatever the scale is, so this is not
  // scaled.
  EXPECT_TRUE(throughout(1s, [] { return true; }));
  const Words more = count_.since(before);
  EXPECT_LE(sum(more), 1) << spelt(more);
  holder.unlock();
  EXPECT_TRUE(entered.get().token);
}

}  // namespace
}  // namespace holdfast::test

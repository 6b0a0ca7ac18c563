// SPDX-License-Identifier: Apache-2.0

// Both sides stand in one queue, and tokens grow along it.

#include <future>

#include "holdfast/mutex.h"
#include "interop/zookeeper/zookeeper_interop.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr const char* kMutex = "InterProcessMutex";

class Queue : public ZookeeperInterop {
 protected:
  const Client client = open(kMutex);
  Mutex mutex{client, lock};

  void give_back_in_java(std::string_view thread) {
    ASSERT_EQ(peer().ask(thread, "unlock", kMutex, lock).said, "ok");
  }
};

TEST_F(Queue, GrantsInTheOrderOfArrival) {
  peer_takes("holder", kMutex, lock);
  peer().tell("first", "lock", kMutex, lock, -1, -1);
  ASSERT_TRUE(children_are(path, 2));
  auto second = std::async(std::launch::async, [&] {
    auto hold = mutex.acquire({.wait = patience()}).value();
    const auto granted = steady_clock::now();
    hold.release().value();
    return granted;
  });
  ASSERT_TRUE(children_are(path, 3));
  peer().tell("third", "lock", kMutex, lock, -1, -1);
  ASSERT_TRUE(children_are(path, 4));

  give_back_in_java("holder");
  const Answer first = peer().answer("first");
  ASSERT_EQ(first.said, "ok") << first.value;
  give_back_in_java("first");
  const Answer third = peer().answer("third");
  ASSERT_EQ(third.said, "ok") << third.value;
  const auto granted = second.get();
  EXPECT_LT(first.ended, granted);
  EXPECT_LT(granted, third.ended);
  give_back_in_java("third");
}

TEST_F(Queue, AWaiterThatGivesUpIsNotWaitedFor) {
  peer_takes("holder", kMutex, lock);
  EXPECT_EQ(code_of(mutex.acquire({.wait = scaled(milliseconds(200))})),
            Errc::timed_out);
  EXPECT_TRUE(children_are(path, 1));
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_TRUE(children_are(path, 1));
  give_back_in_java("holder");
  peer_takes("next", kMutex, lock);
  give_back_in_java("next");
}

// The queue of a name that is not used is removed, and its numbers begin anew.
TEST_F(Queue, TokensGrowThoughItIsRemoved) {
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    peer_takes("t", kMutex, lock);
    give_back_in_java("t");
    auto hold = mutex.acquire({.wait = patience()}).value();
    EXPECT_GT(hold.token().value, last);
    last = hold.token().value;
    hold.release().value();
    ASSERT_TRUE(
        eventually([&] { return peer().ask("t", "exists", path).value == "false"; }));
  }
}

}  // namespace
}  // namespace holdfast::test

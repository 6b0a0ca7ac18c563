// Sessions that end at the server, and what is left of them.

#include <gtest/gtest.h>

#include "faults/zookeeper/ground.h"
#include "holdfast/counter.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using Sessions = OnZookeeper;

TEST_F(Sessions, AnExpiredOneLosesTheHoldAndTheClientGoesOn) {
  const Client client = open();
  Mutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  const auto before = session_of(only_node("a"));
  expire(before);
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }, scaled(5s)));
  EXPECT_FALSE(hold.valid());
  const auto released = hold.release();
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, Errc::not_held);

  const auto next = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
  EXPECT_NE(session_of(only_node("a")), before);
}

// The server answers nothing then: only the clock tells.
TEST_F(Sessions, AnExpiredOneIsNoticedInTimeAlsoWhenTheLineStands) {
  const auto ttl = scaled(1500ms);
  const Client client = open(ttl);
  Mutex mutex(client, "a");
  const auto hold = mutex.acquire().value();
  shell_.expire(session_of(only_node("a")));
  EXPECT_TRUE(
      eventually([&] { return hold.lost().stop_requested(); }, ttl + scaled(100ms)));
  EXPECT_TRUE(mutex.acquire({.wait = patience()}));
}

TEST_F(Sessions, AWaiterOfAnExpiredOneQueuesAgain) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  const std::string held = only_node("a");
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_nodes("a", 2));
  for (int i = 0; i < 3; ++i) {
    const auto session = session_of(other_node(held));
    expire(session);
    ASSERT_TRUE(eventually([&] {
      return nodes("a").size() == 2 && session_of(other_node(held)) != session;
    }));
  }
  EXPECT_TRUE(still_waits(entered));
  holder.unlock();
  EXPECT_TRUE(entered.get().token);
}

// What is called as our node was, and belongs to somebody else, is not ours.
TEST_F(Sessions, ANodeOfAnotherOneIsNeverOurs) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  const std::string held = only_node("a");
  Mutex waiter(open(), "a");
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_nodes("a", 2));
  const std::string copied = other_node(held);
  line_.unreachable(true);
  shell_.expire(session_of(copied));
  shell_.create(copied, {}, ZOO_EPHEMERAL);
  line_.unreachable(false);
  holder.unlock();
  EXPECT_TRUE(still_waits(entered)) << "it took another's node for its own";
  shell_.remove(copied);
  EXPECT_TRUE(entered.get().token);
}

TEST_F(Sessions, NothingOfAnExpiredOneComesBack) {
  const Client client = open();
  for (int i = 0; i < 5; ++i) {
    Mutex mutex(client, "a");
    auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    expire(session_of(only_node("a")));
    (void)hold->release();
    ASSERT_TRUE(has_nodes("a", 0));
  }
}

TEST_F(Sessions, RegistersOutliveThem) {
  const Client client = open();
  Counter counter(client, "n");
  ASSERT_TRUE(counter.add(5));
  Mutex mutex(client, "a");
  mutex.lock();
  expire(session_of(only_node("a")));
  const auto sum = counter.add(2);
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(sum->after, 7);
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Sessions that the server ends, and what happens to their claims.

#include <gtest/gtest.h>

#include "conformance/claim_lock.h"
#include "faults/losses.h"
#include "faults/zookeeper/ground.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Sessions : public OnZookeeper {
 protected:
  const TakeAway expire_ = [this] { expire(session_of(only_node("a"))); };
};

TEST_F(Sessions, AnExpiredOneLosesTheHoldAndTheClientGoesOn) {
  the_hold_is_lost_and_the_client_goes_on(bad_line_, expire_);
}
TEST_F(Sessions, NothingOfAnExpiredOneComesBack) {
  nothing_comes_back(bad_line_, expire_);
}
TEST_F(Sessions, RegistersOutliveThem) { registers_stay(bad_line_, expire_); }

// The server does not answer, so only the clock tells that the session has ended.
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

// The client learns that its session has ended, and after that it reaches no server.
TEST_F(Sessions, AnExpiredOneIsToldOfAlsoWhenThereIsNoOther) {
  const Client client = open();
  Mutex mutex(client, "a");
  const auto hold = mutex.acquire().value();
  const auto session = session_of(only_node("a"));
  const auto signed_on = [&](int times) {
    return eventually([&] { return line_.passed()["sign_on"] >= times; });
  };
  ASSERT_TRUE(signed_on(1));
  line_.unreachable(true);
  shell_.expire(session);
  line_.delay(scaled(1s));
  line_.unreachable(false);
  ASSERT_TRUE(signed_on(3)) << "the second is refused, the third is on its way";
  line_.freeze();
  line_.delay(0ms);
  EXPECT_TRUE(told_soon(hold));
  line_.thaw();
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

// A node with the name of our node that belongs to another session is not our claim.
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

// The receipt that would tell has ended with its session.
TEST_F(Sessions, AChangeThatWasNotAnsweredIsNotMadeAgainAfterThem) {
  const Client client = open();
  const auto counter = client.session().bind({engine::Kind::counter, "n"}).value();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(counter->add(1, next_ticket(), soon()));
  Mutex mutex(client, "a");
  mutex.lock();
  const auto session = session_of(only_node("a"));
  const engine::Ticket ticket = next_ticket();
  line_.lose_replies(1);
  ASSERT_FALSE(counter->add(1, ticket, soon()));
  expire(session);
  ASSERT_TRUE(eventually([&] { return mutex.lost().stop_requested(); }));
  const auto again = counter->add(1, ticket, soon());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::outcome_unknown) << again.error().message();
  EXPECT_EQ(counter->load(soon()).value().number, 4);
}

}  // namespace
}  // namespace holdfast::test

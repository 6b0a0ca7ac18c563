// SPDX-License-Identifier: Apache-2.0

// Claims that are lost while they are changed or dropped.

#include <gtest/gtest.h>

#include <future>
#include <map>
#include <string>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/zookeeper/ground.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Amends : public OnZookeeper {
 protected:
  // The lease ends while the change is on its way, and the drop is sent after it.
  template <class Change>
  void lose_during(Change change, const std::stop_token& lost) {
    line_.freeze();
    auto changed = std::async(std::launch::async, change);
    EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
    EXPECT_TRUE(throughout(scaled(200ms), [] { return true; }));
    line_.thaw();
    EXPECT_FALSE(changed.get()) << "it was lost";
  }

  static int count(const std::map<std::string, int>& words, const std::string& word) {
    const auto found = words.find(word);
    return found != words.end() ? found->second : 0;
  }

  const LeaseOptions short_lease_{.ttl = scaled(500ms)};
};

TEST_F(Amends, ADowngradeThatComesTooLateLeavesNoReaderBehind) {
  SharedMutex mutex(open(), "a", short_lease_);
  auto hold = mutex.acquire().value();
  lose_during([&] { return hold.downgrade(); }, hold.lost());
  EXPECT_TRUE(has_nodes("a", 0));
  SharedMutex other(open_directly(), "a");
  EXPECT_TRUE(other.acquire({.wait = patience()}));
}

// It is not known whether the change was made, and cannot be found out before the lease
// ends.
TEST_F(Amends, ADowngradeWhoseAnswerIsLostLeavesNoReaderBehind) {
  const Client client = open();
  const auto shared = client.session().bind({engine::Kind::shared_mutex, "a"}).value();
  const engine::Claim writer{.ticket = next_ticket()};
  engine::Claim reader = writer;
  reader.mode = engine::Mode::shared;
  ASSERT_TRUE(shared->attempt(writer, nullptr, soon()));
  line_.lose_replies(1);
  ASSERT_FALSE(shared->amend(writer, reader, soon()));
  ASSERT_TRUE(has_nodes("a", 1));
  std::vector<engine::ClaimRef> refs{{shared.get(), &writer}};
  ASSERT_TRUE(eventually([&] { return bool(client.session().renew(refs, soon())); }));
  EXPECT_EQ(refs[0].outcome, make_error_code(Errc::not_held)) << "it reads at most";
  EXPECT_TRUE(has_nodes("a", 0));
}

// A claim of several permits is lost when one of its nodes is deleted.
TEST_F(Amends, WhatIsLeftOfALostClaimGoesToo) {
  Semaphore semaphore(open(scaled(2s)), "a", 3);
  auto hold = semaphore.acquire_many(2).value();
  shell_.remove(path("a/leases/" + nodes("a/leases").at(0)));
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_TRUE(has_nodes("a/leases", 0));
}

TEST_F(Amends, WhatIsLeftOfAClaimThatAChangeFindsGoneGoesToo) {
  const Client client = open();
  const auto semaphore = client.session().bind({engine::Kind::semaphore, "a"}).value();
  const engine::Claim three{.ticket = next_ticket(), .permits = 3, .capacity = 3};
  engine::Claim two = three;
  two.permits = 2;
  ASSERT_TRUE(semaphore->attempt(three, nullptr, soon()));
  ASSERT_TRUE(has_nodes("a/leases", 3));
  shell_.remove(path("a/leases/" + nodes("a/leases").front()));
  const auto changed = semaphore->amend(three, two, soon());
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, Errc::not_held);
  EXPECT_TRUE(has_nodes("a/leases", 0));
}

// The renewal has begun before the drop, and learns after it that a node is gone.
TEST_F(Amends, AClaimThatIsBeingDroppedIsNotLostBesides) {
  const Client client = open();
  const auto semaphore = client.session().bind({engine::Kind::semaphore, "a"}).value();
  const engine::Claim claim{.ticket = next_ticket(), .permits = 2, .capacity = 2};
  ASSERT_TRUE(semaphore->attempt(claim, nullptr, soon()));
  shell_.remove(path("a/leases/" + nodes("a/leases").front()));
  const auto before = line_.passed();
  const auto deletes = [&] {
    return line_.passed()["delete"] - count(before, "delete");
  };
  line_.freeze_at_call(2);
  std::vector<engine::ClaimRef> refs{{semaphore.get(), &claim}};
  auto renewed = std::async(std::launch::async,
                            [&] { return client.session().renew(refs, soon()); });
  ASSERT_TRUE(
      eventually([&] { return line_.passed()["exists"] > count(before, "exists"); }));
  const auto dropped = semaphore->drop(claim, Clock::now() + scaled(100ms));
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().code, Errc::outcome_unknown);
  line_.thaw();
  ASSERT_TRUE(renewed.get());
  EXPECT_EQ(refs[0].outcome, make_error_code(Errc::not_held));
  ASSERT_TRUE(semaphore->load(soon()));
  EXPECT_EQ(deletes(), 2) << "the renewal has deleted them, too";
  EXPECT_EQ(semaphore->drop(claim, soon()).error().code, Errc::not_held);
  EXPECT_EQ(deletes(), 4) << "the drop could not be repeated";
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// A server that has too much to do refuses single requests (ZTHROTTLEDOP). That says
// nothing of the node that was asked about.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "conformance/claim_lock.h"
#include "faults/zookeeper/ground.h"
#include "holdfast/double_barrier.h"
#include "holdfast/engine/session.h"
#include "holdfast/semaphore.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using engine::Claim;
using engine::Kind;

class Throttling : public OnZookeeper {
 protected:
  // The directories are not containers, which would be removed between two claims.
  Throttling() {
    shell_.create(root_);
    for (const char* each : {"a", "a/locks", "a/leases"}) shell_.create(path(each));
  }

  std::shared_ptr<engine::Resource> bind(Kind kind, const std::string& name = "a") {
    return client_.session().bind({kind, name}).value();
  }
  const engine::Waker& signal() const { return signal_; }

  // g granted, b blocked, or the error.
  std::string attempt(engine::Resource& resource, const Claim& claim) {
    const auto verdict = resource.attempt(claim, signal_, soon());
    if (!verdict) return verdict.error().message();
    return std::holds_alternative<engine::Blocked>(*verdict) ? "b" : "g";
  }
  // The reply to a call is lost, and a request of this word of the next attempt is
  // refused.
  void expect_refused(engine::Resource& resource, const Claim& claim,
                      const std::string& word, int passed = 0) {
    line_.throttle(word, 1, passed);
    const auto verdict = resource.attempt(claim, signal_, soon());
    ASSERT_FALSE(verdict) << word << " was refused";
    EXPECT_EQ(verdict.error().code, Errc::unavailable) << verdict.error().message();
    EXPECT_NE(verdict.error().message().find("try again later"), std::string::npos)
        << verdict.error().message();
  }

  // Its heartbeats, which would be refused, too, are rare.
  const Client client_ = open(scaled(std::chrono::minutes(5)));

 private:
  const engine::Waker signal_ = client_.session().signal();
};

TEST_F(Throttling, GrantsNoMorePermitsThanThereAre) {
  Semaphore semaphore(open_directly(), "a", 1);
  auto held = semaphore.acquire().value();
  const auto resource = bind(Kind::semaphore);
  const Claim claim{.ticket = next_ticket(), .capacity = 1};
  // The path, the queue and the leases are listed.
  for (const int passed : {2, 1, 0}) {
    SCOPED_TRACE(passed);
    line_.throttle("children2", 1, passed);
    EXPECT_NE(attempt(*resource, claim), "g");
    EXPECT_TRUE(has_nodes("a/leases", 1));
  }
  line_.throttle("", 0);
  EXPECT_EQ(attempt(*resource, claim), "b");
  EXPECT_TRUE(has_nodes("a/locks", 1));
  EXPECT_TRUE(resource->drop(claim, soon()));
  EXPECT_TRUE(has_nodes("a/locks", 0));
  EXPECT_TRUE(held.release());
}

TEST_F(Throttling, AFirstWaiterKeepsItsPlace) {
  Semaphore semaphore(open_directly(), "a", 1);
  auto held = semaphore.acquire().value();
  const auto resource = bind(Kind::semaphore);
  const Claim claim{.ticket = next_ticket(), .capacity = 1};
  ASSERT_EQ(attempt(*resource, claim), "b");
  const std::string node = only_node("a/locks");
  expect_refused(*resource, claim, "exists");
  EXPECT_EQ(attempt(*resource, claim), "b");
  EXPECT_EQ(only_node("a/locks"), node);
  EXPECT_TRUE(resource->drop(claim, soon()));
  EXPECT_TRUE(has_nodes("a/locks", 0));
  EXPECT_TRUE(held.release());
}

TEST_F(Throttling, AClaimInDoubtFindsItsNode) {
  shell_.create(path("b"));
  const auto mutex = bind(Kind::mutex, "b");
  const Claim claim{.ticket = next_ticket()};
  line_.lose_replies(1);
  ASSERT_NE(attempt(*mutex, claim), "g");
  for (const char* word : {"sync", "children2", "exists"}) {
    expect_refused(*mutex, claim, word);
  }
  EXPECT_EQ(attempt(*mutex, claim), "g");
  EXPECT_TRUE(has_nodes("b", 1));
  EXPECT_TRUE(mutex->drop(claim, soon()));
  EXPECT_TRUE(has_nodes("b", 0));
}

TEST_F(Throttling, AClaimInDoubtFindsItsLeases) {
  const auto semaphore = bind(Kind::semaphore);
  const Claim claim{.ticket = next_ticket(), .permits = 2, .capacity = 2};
  ASSERT_EQ(attempt(*semaphore, {.ticket = next_ticket(), .capacity = 2}), "g");
  ASSERT_TRUE(semaphore->exchange({2, engine::kAnyVersion}, 3, next_ticket(), soon()));
  line_.lose_replies(1, 4);  // the transaction follows on what is read
  ASSERT_NE(attempt(*semaphore, claim), "g");
  ASSERT_TRUE(has_nodes("a/leases", 3)) << "it was applied";
  for (const char* word : {"sync", "children2", "exists"}) {
    expect_refused(*semaphore, claim, word);
  }
  EXPECT_EQ(attempt(*semaphore, claim), "g");
  EXPECT_TRUE(has_nodes("a/leases", 3));
  EXPECT_TRUE(semaphore->drop(claim, soon()));
  EXPECT_TRUE(has_nodes("a/leases", 1));
}

TEST_F(Throttling, ADropInDoubtIsNotOverBeforeTheNodeIsGone) {
  shell_.create(path("b"));
  const auto mutex = bind(Kind::mutex, "b");
  const Claim claim{.ticket = next_ticket()};
  line_.lose_replies(1);
  ASSERT_NE(attempt(*mutex, claim), "g");
  ASSERT_TRUE(has_nodes("b", 1));
  for (const char* word : {"sync", "children2", "delete"}) {
    line_.throttle(word, 1);
    const auto dropped = mutex->drop(claim, soon());
    ASSERT_FALSE(dropped) << word;
    EXPECT_EQ(dropped.error().code, Errc::unavailable) << dropped.error().message();
  }
  EXPECT_TRUE(mutex->drop(claim, soon()));
  EXPECT_TRUE(has_nodes("b", 0));
}

TEST_F(Throttling, AnOpenBarrierStaysOpen) {
  shell_.create(path("b"));
  DoubleBarrier one(open_directly(), "b", 1);
  ASSERT_TRUE(one.enter());
  const auto opened = shell_.stat(path("b/ready")).czxid;
  const auto barrier = bind(Kind::double_barrier, "b");
  const Claim claim{.ticket = next_ticket(), .capacity = 2};
  // It asks about `ready`, its own node, and then about each party.
  for (const int passed : {3, 2, 1, 0}) {
    SCOPED_TRACE(passed);
    line_.throttle("exists", 1, passed);
    EXPECT_NE(attempt(*barrier, claim), "b");
    line_.throttle("", 0);
    EXPECT_EQ(shell_.stat(path("b/ready")).czxid, opened) << "it was closed";
  }
  EXPECT_EQ(attempt(*barrier, claim), "g");
  EXPECT_TRUE(barrier->drop(claim, soon()));
  EXPECT_TRUE(one.leave());
}

// The first request of the claim's node succeeds, and what follows on it does not.
TEST_F(Throttling, APartyThatGivesUpLeavesNoNode) {
  shell_.create(path("b"));
  const auto barrier = bind(Kind::double_barrier, "b");
  const Claim claim{.ticket = next_ticket(), .capacity = 2};
  expect_refused(*barrier, claim, "exists", 1);
  EXPECT_TRUE(barrier->drop(claim, soon()));
  EXPECT_TRUE(has_nodes("b", 0));
}

TEST_F(Throttling, AnUnlockIsRepeatedUntilItIsDone) {
  shell_.create(path("b"));
  Mutex mutex(client_, "b");
  mutex.lock();
  ASSERT_TRUE(has_nodes("b", 1));
  line_.throttle("delete", 3);
  mutex.unlock();
  EXPECT_TRUE(has_nodes("b", 0));
}

}  // namespace
}  // namespace holdfast::test

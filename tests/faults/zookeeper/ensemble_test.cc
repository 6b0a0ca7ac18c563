// SPDX-License-Identifier: Apache-2.0

// An ensemble of three servers, some of which die.

#include <gtest/gtest.h>

#include "faults/outages.h"
#include "faults/zookeeper/ground.h"
#include "support/eventually.h"
#include "support/zookeeper_ensemble.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class Ensemble : public testing::Test {
 protected:
  Client open(std::chrono::milliseconds ttl = scaled(10s)) const {
    return open_quietly(ensemble_.url("/app"), ttl);
  }

  // The session that holds `name`, as a running server sees it.
  std::int64_t holder_of(const std::string& name) {
    ZookeeperShell shell(ensemble_[ensemble_.leader()].port());
    const std::string path = "/app/" + name;
    return shell.stat(path + "/" + shell.children(path).at(0)).ephemeralOwner;
  }

  void dies_while_held(std::size_t server, Hold& hold, Mutex& other) {
    a_hold_outlives([&] { ensemble_.kill(server); }, hold, other);
    EXPECT_NE(ensemble_.leader(), server);
  }

  ZookeeperEnsemble ensemble_;
};

TEST_F(Ensemble, AHoldOutlivesTheLeader) {
  Mutex mutex(open(), "a");
  Mutex other(open(), "a");
  auto hold = mutex.acquire().value();
  dies_while_held(ensemble_.leader(), hold, other);
}

TEST_F(Ensemble, AHoldOutlivesTheFollowerItIsConnectedTo) {
  for (int i = 0; i < 50; ++i) {
    const Client client = open();
    const std::string name = std::to_string(i);
    Mutex mutex(client, name);
    auto hold = mutex.acquire().value();
    const auto server = ensemble_.of(holder_of(name));
    if (!server || *server == ensemble_.leader()) continue;
    Mutex other(open(), name);
    dies_while_held(*server, hold, other);
    return;
  }
  FAIL() << "every client is connected to the leader";
}

TEST_F(Ensemble, WithoutAMajorityAHoldIsLostInTime) {
  const auto ttl = scaled(2s);
  a_long_outage_loses_the_hold_in_time(without_a_majority(
      ensemble_, [&] { return open(ttl); }, ttl));
}

// The clients of the dead server find another one in time, or know of the loss before
// another client gets the lock.
TEST_F(Ensemble, AServerThatStandsStillGrantsNoLockTwice) {
  const auto ttl = scaled(2s);
  Mutex mutex(open(ttl), "a");
  Mutex other(open(), "a");
  auto hold = mutex.acquire().value();
  ZookeeperServer& server = ensemble_[ensemble_.of(holder_of("a")).value()];
  an_outage_grants_no_lock_twice(
      {{}, ttl, [&] { server.pause(); }, [&] { server.resume(); }}, hold, other);
}

// A follower that has lost its leader goes on answering reads for a while.
TEST(CutOffFollower, ItsHolderKnowsOfTheLossBeforeAnotherGetsIn) {
  auto ensemble = ZookeeperEnsemble::with_a_remote_follower();
  const auto ttl = scaled(2s);
  Mutex mutex(open_quietly(ensemble[0].url("/app"), ttl), "a");
  Mutex other(open_quietly(ensemble[1].url("/app"), ttl), "a");
  const auto hold = mutex.acquire().value();
  EXPECT_TRUE(throughout(ttl, [&] { return hold.valid(); })) << "nothing was wrong";
  const Told told(hold);
  auto entered = wait_for(other);
  EXPECT_TRUE(still_waits(entered));
  ensemble.cut_off_follower(true);
  const Entered next = entered.get();
  ASSERT_TRUE(next.token) << next.why_not;
  EXPECT_GT(next.token, hold.token());
  told.expect_by(next.at);
  ensemble.cut_off_follower(false);
  EXPECT_TRUE(mutex.acquire({.wait = patience()})) << "its client is of no more use";
}

}  // namespace
}  // namespace holdfast::test

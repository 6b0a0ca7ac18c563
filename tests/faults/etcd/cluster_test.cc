// SPDX-License-Identifier: Apache-2.0

// A cluster of three servers, some of which die or are suspended.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <stdexcept>

#include "faults/etcd/ground.h"
#include "faults/outages.h"
#include "support/etcd_cluster.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdClusters : public testing::Test {
 protected:
  Client open(std::chrono::milliseconds ttl = scaled(10s)) const {
    return open_quietly(cluster_.url("/app"), ttl);
  }

  // Each server is reached through a proxy of its own, so that the test sees which one
  // is asked.
  Client open_over_lines(std::chrono::milliseconds ttl = scaled(10s)) const {
    std::string hosts;
    for (const FaultProxy& each : lines_) {
      hosts +=
          (hosts.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(each.port());
    }
    return open_quietly("etcd://" + hosts + "/app", ttl);
  }
  std::size_t asked() const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].passed().contains("Txn")) return i;
    }
    throw std::runtime_error("none was asked");
  }

  // A client chooses its server at random; this one has chosen that server.
  Client open_at(std::size_t server, std::chrono::milliseconds ttl) const {
    for (;;) {
      const auto before = lines_[server].passed();
      Client client = open_over_lines(ttl);
      if (lines_[server].passed() != before) return client;
    }
  }

  // With this ttl a call to the engine may last for 5 s. A free lock is taken sooner.
  void goes_on_soon_after(const std::function<void(EtcdServer&)>& fault,
                          std::size_t asked_server) {
    Mutex mutex(open_at(asked_server, scaled(30s)), "a");
    ASSERT_TRUE(mutex.try_lock());
    mutex.unlock();
    ASSERT_EQ(asked(), asked_server);
    fault(cluster_[cluster_.leader()]);
    const auto start = Clock::now();
    const auto hold = mutex.acquire({.wait = patience()});
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_LT(Clock::now() - start, scaled(3s));
  }

  void dies_while_held(std::size_t server, Hold& hold) {
    Mutex other(open(), "a");
    a_hold_outlives([&] { cluster_[server].kill(); }, hold, other);
  }

  // The server is suspended for longer than the lease. Its clients find another server
  // in time, or know of the loss before another client gets the lock.
  void stands_still_while_held(std::size_t server, Hold& hold,
                               std::chrono::milliseconds ttl) {
    Mutex other(open(), "a");
    an_outage_grants_no_lock_twice({{},
                                    ttl,
                                    [&] { cluster_[server].pause(); },
                                    [&] { cluster_[server].resume(); }},
                                   hold, other);
  }

  EtcdCluster cluster_;
  std::array<FaultProxy, EtcdCluster::kServers> lines_{
      FaultProxy(cluster_[0].port(), Protocol::etcd),
      FaultProxy(cluster_[1].port(), Protocol::etcd),
      FaultProxy(cluster_[2].port(), Protocol::etcd)};
};

TEST_F(EtcdClusters, AHoldOutlivesTheLeader) {
  Mutex mutex(open(), "a");
  auto hold = mutex.acquire().value();
  dies_while_held(cluster_.leader(), hold);
}

TEST_F(EtcdClusters, AHoldOutlivesTheServerItsClientAsks) {
  Mutex mutex(open_over_lines(), "a");
  auto hold = mutex.acquire().value();
  dies_while_held(asked(), hold);
}

TEST_F(EtcdClusters, AWaiterOutlivesTheServerItAsks) {
  Mutex holder(open(), "a");
  Mutex waiter(open_over_lines(), "a");
  auto hold = holder.acquire().value();
  auto entered = wait_for(waiter);
  EXPECT_TRUE(still_waits(entered));
  cluster_[asked()].kill();
  EXPECT_TRUE(still_waits(entered));
  (void)hold.release();  // a release that is lost in an election is repeated
  const auto released = Clock::now();
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(5s)) << in.why_not;
}

TEST_F(EtcdClusters, AServerThatStandsStillGrantsNoLockTwice) {
  const auto ttl = scaled(3s);
  Mutex mutex(open_over_lines(ttl), "a");
  auto hold = mutex.acquire().value();
  stands_still_while_held(asked(), hold, ttl);
}

TEST_F(EtcdClusters, AWaiterWhoseServerStoodStillIsWoken) {
  Mutex holder(open(), "a");
  Mutex waiter(open_over_lines(), "a");
  auto entered = std::shared_future<Entered>();
  {
    const auto hold = holder.acquire().value();
    entered = wait_for(waiter);
    EXPECT_TRUE(still_waits(entered));
    const std::size_t server = asked();
    cluster_[server].pause();
    EXPECT_TRUE(throughout(scaled(2s), [] { return true; }));
    cluster_[server].resume();
  }
  const auto released = Clock::now();
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(5s)) << in.why_not;
}

TEST_F(EtcdClusters, ALeaderThatStandsStillGrantsNoLockTwice) {
  const auto ttl = scaled(3s);
  Mutex mutex(open(ttl), "a");
  auto hold = mutex.acquire().value();
  stands_still_while_held(cluster_.leader(), hold, ttl);
}

TEST_F(EtcdClusters, WithoutAMajorityAHoldIsLostInTime) {
  const auto ttl = scaled(2s);
  a_long_outage_loses_the_hold_in_time(without_a_majority(
      cluster_, [&] { return open(ttl); }, ttl));
}

TEST_F(EtcdClusters, ASaleGoesOn) {
  const Sale sale([this] { return open(); });
  for (std::size_t i = 0; i < EtcdCluster::kServers; ++i) {
    EXPECT_TRUE(sale.goes_on());
    cluster_[i].kill();
    EXPECT_TRUE(sale.goes_on()) << "without " << i;
    cluster_[i].start();
    cluster_.expect();
  }
}

// The follower does not say that what it has passed on to the leader is lost.
TEST_F(EtcdClusters, ACallToAFollowerGoesOnSoonAfterTheLeaderDied) {
  goes_on_soon_after([](EtcdServer& leader) { leader.kill(); },
                     (cluster_.leader() + 1) % EtcdCluster::kServers);
}

TEST_F(EtcdClusters, ACallGoesOnSoonAfterTheLeaderStoodStill) {
  goes_on_soon_after([](EtcdServer& leader) { leader.pause(); }, cluster_.leader());
}

// One server is cut off from the others, and so is a minority of one.
TEST_F(EtcdClusters, AClientLeavesAServerThatItCannotReach) {
  Mutex mutex(open_over_lines(), "a");
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  lines_[asked()].unreachable(true);
  const auto start = Clock::now();
  auto hold = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_LT(Clock::now() - start, scaled(2s));
}

}  // namespace
}  // namespace holdfast::test

// Three servers, of which some die or stand still.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>

#include "faults/etcd/ground.h"
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

  // Through a line to each of them, so that it can be seen which one is asked.
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

  // Kills that server: the hold stays, and others stay out until it is released.
  void dies_while_held(std::size_t server, Hold& hold) {
    Mutex other(open(), "a");
    auto entered = wait_for(other);
    EXPECT_TRUE(still_waits(entered));
    cluster_[server].kill();
    EXPECT_TRUE(throughout(scaled(3s), [&] { return hold.valid(); }));
    EXPECT_TRUE(still_waits(entered));
    EXPECT_TRUE(hold.release());
    const Entered next = entered.get();
    ASSERT_TRUE(next.token) << next.why_not;
    EXPECT_GT(next.token, hold.token());
  }

  // Stops that server for longer than the lease: its clients find another one in time,
  // or know of the loss before another gets in.
  void stands_still_while_held(std::size_t server, Hold& hold,
                               std::chrono::milliseconds ttl) {
    Mutex other(open(), "a");
    std::atomic<Clock::time_point> lost{Clock::time_point::max()};
    const std::stop_callback on_loss(hold.lost(), [&] { lost = Clock::now(); });
    auto entered = wait_for(other);
    EXPECT_TRUE(still_waits(entered));
    cluster_[server].pause();
    const bool released =
        throughout(2 * ttl, [&] { return hold.valid(); }) && hold.release();
    cluster_[server].resume();
    const Entered next = entered.get();
    ASSERT_TRUE(next.token) << next.why_not;
    EXPECT_GT(next.token, hold.token());
    if (!released) {
      EXPECT_LE(lost.load(), next.at) << "two were in";
    }
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
  (void)hold.release();  // what is lost in an election is repeated
  const auto released = Clock::now();
  const Entered in = entered.get();
  EXPECT_LT(in.at - released, scaled(5s)) << in.why_not;
}

TEST_F(EtcdClusters, AServerThatStandsStillLetsNobodyInTwice) {
  const auto ttl = scaled(3s);
  Mutex mutex(open_over_lines(ttl), "a");
  auto hold = mutex.acquire().value();
  stands_still_while_held(asked(), hold, ttl);
}

TEST_F(EtcdClusters, AWaiterWhoseServerStoodStillIsWoken) {
  Mutex holder(open(), "a");
  Mutex waiter(open_over_lines(), "a");
  auto entered = std::future<Entered>();
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

TEST_F(EtcdClusters, ALeaderThatStandsStillLetsNobodyInTwice) {
  const auto ttl = scaled(3s);
  Mutex mutex(open(ttl), "a");
  auto hold = mutex.acquire().value();
  stands_still_while_held(cluster_.leader(), hold, ttl);
}

TEST_F(EtcdClusters, WithoutAMajorityAHoldIsLostInTime) {
  const auto ttl = scaled(2s);
  Mutex mutex(open(ttl), "a");
  const auto hold = mutex.acquire().value();
  const std::size_t leader = cluster_.leader();
  const auto start = Clock::now();
  cluster_[leader].kill();
  cluster_[(leader + 1) % 3].kill();
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_LE(Clock::now() - start, ttl + scaled(100ms));
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << "nobody has it";

  cluster_[leader].launch();
  cluster_[(leader + 1) % 3].launch();
  cluster_.expect();
  const auto next = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
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

// A line to one server that is cut alone: it is in the minority of one.
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

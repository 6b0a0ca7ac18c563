// Three servers, of which some die.

#include <gtest/gtest.h>

#include <atomic>

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

  // The session that holds `name`, as a server that runs sees it.
  std::int64_t holder_of(const std::string& name) {
    ZookeeperShell shell(ensemble_[ensemble_.leader()].port());
    const std::string path = "/app/" + name;
    return shell.stat(path + "/" + shell.children(path).at(0)).ephemeralOwner;
  }

  // Kills that server: the hold stays, and others stay out until it is released.
  void dies_while_held(std::size_t server, Hold& hold, Mutex& other) {
    auto entered = wait_for(other);
    EXPECT_TRUE(still_waits(entered));
    ensemble_.kill(server);
    EXPECT_TRUE(throughout(scaled(3s), [&] { return hold.valid(); }));
    EXPECT_NE(ensemble_.leader(), server);
    EXPECT_TRUE(still_waits(entered));
    const auto token = hold.token();
    EXPECT_TRUE(hold.release());
    const Entered next = entered.get();
    ASSERT_TRUE(next.token) << next.why_not;
    EXPECT_GT(next.token, token);
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
  Mutex mutex(open(ttl), "a");
  const auto hold = mutex.acquire().value();
  const std::size_t leader = ensemble_.leader();
  const auto start = Clock::now();
  ensemble_.kill(leader);
  ensemble_.kill((leader + 1) % 3);
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_LE(Clock::now() - start, ttl + scaled(100ms));
  const auto refused = mutex.acquire({.wait = scaled(300ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().code, Errc::timed_out) << "nobody has it";

  ensemble_[leader].launch();
  ensemble_[(leader + 1) % 3].launch();
  ensemble_.expect();
  const auto next = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
}

// Its clients find another server in time, or know of the loss before another gets in.
TEST_F(Ensemble, AServerThatStandsStillLetsNobodyInTwice) {
  const auto ttl = scaled(2s);
  Mutex mutex(open(ttl), "a");
  Mutex other(open(), "a");
  auto hold = mutex.acquire().value();
  const auto server = ensemble_.of(holder_of("a")).value();
  std::atomic<Clock::time_point> lost{Clock::time_point::max()};
  const std::stop_callback on_loss(hold.lost(), [&] { lost = Clock::now(); });
  auto entered = wait_for(other);
  EXPECT_TRUE(still_waits(entered));
  ensemble_[server].pause();
  const bool released =
      throughout(2 * ttl, [&] { return hold.valid(); }) && hold.release();
  ensemble_[server].resume();
  const Entered next = entered.get();
  ASSERT_TRUE(next.token) << next.why_not;
  EXPECT_GT(next.token, hold.token());
  if (!released) {
    EXPECT_LE(lost.load(), next.at) << "two were in";
  }
}

}  // namespace
}  // namespace holdfast::test

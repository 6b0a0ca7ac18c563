// SPDX-License-Identifier: Apache-2.0

// The Lock of go-zookeeper is our Mutex.

#include <cstdlib>
#include <future>

#include "holdfast/mutex.h"
#include "interop/tally.h"
#include "interop/zookeeper/zookeeper_interop.h"
#include "support/eventually.h"
#include "support/zookeeper_shell.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr const char* kLock = "Lock";

class GoLock : public ZookeeperInterop {
 protected:
  void SetUp() override {
    if (std::getenv("HOLDFAST_GO_PEER") == nullptr) {
      GTEST_SKIP() << "there is no peer in Go; ./dev interop says why";
    }
  }

  static Peer start_go(PeerOptions options = {}) { return {"go", url(), options}; }
  static Peer& go() {
    static Peer peer = start_go();
    return peer;
  }

  static void peer_takes(Peer& peer, std::string_view thread, const std::string& name) {
    const Answer answer = peer.ask(thread, "lock", kLock, name, patience(), -1);
    ASSERT_EQ(answer.said, "ok") << answer.value;
  }
  void peer_gives_back(std::string_view thread) {
    ASSERT_EQ(go().ask(thread, "unlock", kLock, lock).said, "ok");
  }
  testing::AssertionResult in_line(std::size_t number) {
    ZookeeperShell shell(zookeeper().port());
    if (eventually([&] { return shell.children(path).size() == number; })) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << "not " << number << " clients are in the queue";
  }

  const Client client = open("InterProcessMutex");
  Mutex mutex{client, lock};
};

TEST_F(GoLock, LosesNoUpdate) {
  constexpr long kGoThreads = 3;
  constexpr long kGrants = 50;  // for each thread
  Tally tally;
  go().tell("worker", "contend", kLock, lock, "add", tally.file(), kGoThreads, kGrants);
  std::vector<std::future<void>> ours;
  for (long i = 0; i < kGoThreads; ++i) {
    ours.push_back(std::async(std::launch::async, [&] {
      for (long j = 0; j < kGrants; ++j) {
        auto hold = mutex.acquire({.wait = patience()}).value();
        EXPECT_TRUE(tally.add());
        hold.release().value();
      }
    }));
  }
  for (auto& each : ours) each.get();
  const Answer done = go().answer("worker");
  EXPECT_EQ(done.said, "ok") << done.value;
  EXPECT_EQ(tally.number(), 2 * kGoThreads * kGrants);
}

TEST_F(GoLock, GrantsInTheOrderOfArrival) {
  peer_takes(go(), "holder", lock);
  EXPECT_FALSE(mutex.try_lock());
  auto second = std::async(std::launch::async, [&] {
    auto hold = mutex.acquire({.wait = patience()}).value();
    const auto granted = steady_clock::now();
    hold.release().value();
    return granted;
  });
  ASSERT_TRUE(in_line(2));
  go().tell("third", "lock", kLock, lock, -1, -1);
  ASSERT_TRUE(in_line(3));
  peer_gives_back("holder");
  const Answer third = go().answer("third");
  ASSERT_EQ(third.said, "ok") << third.value;
  EXPECT_LT(second.get(), third.ended);
  peer_gives_back("third");
}

TEST_F(GoLock, OursKeepsItOutAndWakesIt) {
  auto hold = mutex.acquire({.wait = patience()}).value();
  EXPECT_EQ(go().ask("t", "lock", kLock, lock, 200ms, -1).said, "timeout");
  ASSERT_TRUE(in_line(1)) << "the waiter that gave up has not left";
  go().tell("t", "lock", kLock, lock, -1, -1);
  ASSERT_TRUE(in_line(2));
  const auto released = steady_clock::now();
  hold.release().value();
  const Answer answer = go().answer("t");
  ASSERT_EQ(answer.said, "ok") << answer.value;
  EXPECT_LT(answer.ended - released, scaled(2s));
  peer_gives_back("t");
}

TEST_F(GoLock, ItsDeathFreesTheLock) {
  const auto lease = scaled(2s);
  Peer mortal = start_go({.lease = lease});
  peer_takes(mortal, "t", lock);
  mortal.kill();
  EXPECT_FALSE(mutex.try_lock()) << "its session is not over yet";
  EXPECT_TRUE(mutex.acquire({.wait = lease + patience()}));
}

}  // namespace
}  // namespace holdfast::test

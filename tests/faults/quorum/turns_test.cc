// SPDX-License-Identifier: Apache-2.0

// Callers ask the nodes themselves. The threads of the nodes only help where that would
// take time.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "faults/quorum/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// Returns how often the threads of all nodes have gone to sleep.
long sleeps_of_node_threads() {
  long all = 0;
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    bool of_node = false;
    for (std::string word; status >> word;) {
      if (word == "hf-quorum-node") of_node = true;
      long sleeps = 0;
      if (of_node && word == "voluntary_ctxt_switches:" && status >> sleeps) {
        all += sleeps;
      }
    }
  }
  return all;
}

class QuorumTurns : public Five {
 protected:
  static void lock_and_unlock(Mutex& mutex, int times) {
    for (int i = 0; i < times; ++i) {
      mutex.lock();
      mutex.unlock();
    }
  }
  void forget_scripts() {
    for (const RedisServer& each : servers_) each.command({"SCRIPT", "FLUSH"});
  }
  bool all_clean() const {
    for (std::size_t i = 0; i < kNodes; ++i) {
      if (!is_clean(i)) return false;
    }
    return true;
  }
};

// A thread sleeps at least once for each call that it makes: ten times for each pair,
// if the threads of the nodes made the calls.
TEST_F(QuorumTurns, NeedNoThreadWhereNodesAnswer) {
  Mutex mutex(open(), "a");
  constexpr int kPairs = 50;
  lock_and_unlock(mutex, kPairs);
  EXPECT_TRUE(eventually([&] {
    const long before = sleeps_of_node_threads();
    lock_and_unlock(mutex, kPairs);
    return sleeps_of_node_threads() - before < 2L * kPairs;
  }));
}

TEST_F(QuorumTurns, CostOneCallForEachNodeAndHalfOfAPair) {
  Mutex mutex(open(), "a");
  lock_and_unlock(mutex, 3);
  EXPECT_TRUE(all_clean());
  for (const RedisServer& each : servers_) each.command({"CONFIG", "RESETSTAT"});
  constexpr int kPairs = 50;
  lock_and_unlock(mutex, kPairs);
  EXPECT_TRUE(all_clean());
  for (const RedisServer& each : servers_) {
    EXPECT_LE(each.calls("evalsha"), 2 * kPairs);
    EXPECT_LE(each.calls("eval"), 2) << "the scripts are known";
  }
}

TEST_F(QuorumTurns, OutliveTheScriptsOfTheNodes) {
  Mutex mutex(open(), "a");
  lock_and_unlock(mutex, 1);
  for (int i = 0; i < 3; ++i) {
    forget_scripts();
    auto hold = mutex.acquire({.wait = Timeout::zero()});
    ASSERT_TRUE(hold) << hold.error().message();
    forget_scripts();
    EXPECT_TRUE(hold->release());
    EXPECT_TRUE(all_clean());
  }
}

TEST_F(QuorumTurns, OfManyThreadsLeaveNothingBehind) {
  const Client client = open();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&client, i] {
        Mutex mutex(client, "name" + std::to_string(i));
        lock_and_unlock(mutex, 30);
      });
    }
  }
  EXPECT_TRUE(all_clean());
}

// What was sent to a stopped node is taken back when it goes on, also if no call
// follows.
TEST_F(QuorumTurns, ThatWereNotAnsweredAreEndedByTheNodesThread) {
  Mutex mutex(open(), "a");
  lock_and_unlock(mutex, 1);
  ASSERT_TRUE(all_clean());
  servers_[2].pause();
  auto hold = mutex.acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_TRUE(hold->release());
  servers_[2].resume();
  EXPECT_TRUE(all_clean());
}

}  // namespace
}  // namespace holdfast::test

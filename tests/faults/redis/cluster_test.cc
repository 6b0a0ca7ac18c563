// SPDX-License-Identifier: Apache-2.0

// A Redis Cluster: what goes wrong between its servers while locks are held and waited
// for.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "faults/ground.h"
#include "faults/redis/ground.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "support/redis_cluster.h"
#include "support/scale.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class OnRedisCluster : public testing::Test {
 protected:
  Client open(std::chrono::milliseconds ttl = scaled(30s)) const {
    return open_quietly(cluster_.url(), ttl);
  }
  std::uint16_t slot_of(const std::string& name) const {
    return cluster_.slot_of(name);
  }
  std::size_t other_than(std::size_t server) const { return (server + 1) % 3; }

  // Begins to move the slot of the name, with these of its keys.
  void move_half(const std::string& name, const std::vector<std::string>& keys) {
    const auto from = cluster_.primary_of(name);
    cluster_.begin_move(slot_of(name), from, other_than(from));
    for (const auto& key : keys) cluster_.move_key(key, from, other_than(from));
  }

  // Returns how many scripts the servers have run, or refused to run.
  long scripts_called() const {
    long calls = 0;
    for (std::size_t i = 0; i < cluster_.size(); ++i) {
      for (const char* command : {"evalsha", "eval"}) {
        calls += cluster_[i].calls(command);
      }
    }
    return calls;
  }

  RedisCluster cluster_;
};

// Sixteen waiters on two clients get in one after the other while the slot goes around.
TEST_F(OnRedisCluster, AMovingSlotLosesNoHoldAndGrantsNoneTwice) {
  const Client holder = open();
  const Client others[] = {open(), open()};
  auto hold = Mutex(holder, "a").acquire().value();
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> entered{0};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 16; ++i) {
    waiters.emplace_back([&, i] {
      const auto mine = Mutex(others[i % 2], "a").acquire({.wait = patience()});
      if (!mine) return;
      if (++inside > most) most = inside.load();
      ++entered;
      --inside;
    });
  }
  ASSERT_TRUE(eventually([&] {
    return cluster_[cluster_.primary_of("a")].command(
               {"ZCARD", "holdfast_queue:{a}"}) != "0";
  }));
  for (int i = 0; i < 4; ++i) {
    cluster_.move_slot(slot_of("a"), other_than(cluster_.primary_of("a")));
  }
  EXPECT_FALSE(hold.lost().stop_requested());
  ++inside;
  const int before = entered;
  EXPECT_EQ(before, 0);
  --inside;
  EXPECT_TRUE(hold.release());
  for (int i = 0; i < 4; ++i) {
    cluster_.move_slot(slot_of("a"), other_than(cluster_.primary_of("a")));
  }
  for (auto& waiter : waiters) waiter.join();
  EXPECT_EQ(entered, 16);
  EXPECT_EQ(most, 1);
}

// Every kind of claim is renewed while some of its keys are at one server and some at
// the other, and nothing can be acquired twice.
TEST_F(OnRedisCluster, HoldsOutliveASlotThatIsLeftHalfMoved) {
  const auto ttl = scaled(1s);
  const Client client = open(ttl);
  const auto mutex = Mutex(client, "a").acquire().value();
  const auto fair = FairMutex(client, "b").acquire().value();
  const auto reader = SharedMutex(client, "c").acquire_shared().value();
  const auto writer = SharedMutex(client, "d").acquire().value();
  const auto permit = Semaphore(client, "e", 2).acquire().value();
  move_half("a", {"a"});
  move_half("b", {"redisson_lock_token:{b}"});
  move_half("c", {"c"});
  move_half("d", {"d"});
  move_half("e", {"{e}:timeout"});
  std::this_thread::sleep_for(3 * ttl);
  EXPECT_FALSE(mutex.lost().stop_requested());
  EXPECT_FALSE(fair.lost().stop_requested());
  EXPECT_FALSE(reader.lost().stop_requested());
  EXPECT_FALSE(writer.lost().stop_requested());
  EXPECT_FALSE(permit.lost().stop_requested());
  const Client other = open();
  for (const char* name : {"a", "b"}) {
    const auto second = Mutex(other, name).acquire({.wait = scaled(200ms)});
    EXPECT_FALSE(second) << name;
  }
}

// What cannot be done now is asked for again, with a pause.
TEST_F(OnRedisCluster, AHalfMovedSlotIsNotAskedHot) {
  const Client client = open();
  { const auto known = Mutex(client, "a").acquire().value(); }
  move_half("a", {"redisson_lock_token:{a}"});
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    cluster_[i].command({"CONFIG", "RESETSTAT"});
  }
  const auto wait = scaled(500ms);
  EXPECT_FALSE(Mutex(client, "a").acquire({.wait = wait}));
  EXPECT_LT(scripts_called(), 20 + wait / 20ms);
  const auto from = cluster_.primary_of("a");
  for (const auto& key : cluster_.keys_in(slot_of("a"), from)) {
    cluster_.move_key(key, from, other_than(from));
  }
  cluster_.end_move(slot_of("a"), other_than(from));
  EXPECT_TRUE(Mutex(client, "a").acquire({.wait = patience()}));
}

TEST_F(OnRedisCluster, AServerThatDiesTakesItsOwnSlotsAlone) {
  const Client client = open();
  std::string here = "a";
  std::string there = "b";
  while (cluster_.primary_of(there) == cluster_.primary_of(here)) there += "b";
  { const auto known = Mutex(client, there).acquire().value(); }
  cluster_[cluster_.primary_of(here)].pause();
  const auto start = Clock::now();
  EXPECT_TRUE(Mutex(client, there).acquire({.wait = patience()}));
  EXPECT_LT(Clock::now() - start, scaled(1s));
  cluster_[cluster_.primary_of(here)].resume();
}

}  // namespace
}  // namespace holdfast::test

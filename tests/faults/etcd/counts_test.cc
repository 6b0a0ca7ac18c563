// SPDX-License-Identifier: Apache-2.0

// How many calls each operation sends.

#include "faults/counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/etcd/ground.h"
#include "holdfast/counter.h"
#include "holdfast/semaphore.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdCounts : public OnEtcd {
 protected:
  std::string of(const std::function<void()>& scene) const {
    return spelt(count_.of(scene));
  }

  const Count count_{line_, {"Watch", "LeaseKeepAlive"}};
};

TEST_F(EtcdCounts, AFreeLock) {
  Mutex mutex(open(), "a");
  EXPECT_EQ(of([&] { EXPECT_TRUE(mutex.acquire().value().release()); }), "Txn:2");
}

TEST_F(EtcdCounts, ALockThatIsTaken) {
  Mutex holder(open_directly(), "a");
  holder.lock();
  Mutex mutex(open(), "a");
  EXPECT_EQ(of([&] { EXPECT_FALSE(mutex.try_lock()); }), "Txn:2");
}

// The waiter creates its key, reads the queue when its predecessor has ended, and
// deletes its key.
TEST_F(EtcdCounts, AHandOver) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  const auto scene = [&] {
    holder.lock();
    auto entered = wait_for(waiter);
    ASSERT_TRUE(has_keys("a", 2));
    EXPECT_TRUE(still_waits(entered));
    holder.unlock();
    EXPECT_TRUE(entered.get().token);
    EXPECT_TRUE(has_keys("a", 0));
  };
  EXPECT_EQ(of(scene), "Txn:3");
}

TEST_F(EtcdCounts, AnAdd) {
  Counter counter(open(), "n");
  EXPECT_EQ(of([&] { EXPECT_TRUE(counter.add(1)); }), "Txn:1");
}

// The first one stores the number of permits, and need not read the queue again.
TEST_F(EtcdCounts, ASemaphore) {
  const Client client = open();
  const auto acquire_and_release = [&](const std::string& name) {
    EXPECT_TRUE(Semaphore(client, name, 2).acquire().value().release());
  };
  int names = 0;
  EXPECT_EQ(of([&] { acquire_and_release(std::to_string(++names)); }), "Txn:3");
  EXPECT_EQ(of([&] { acquire_and_release("known"); }), "Txn:2");
}

TEST_F(EtcdCounts, NoWatchIsLeft) {
  const auto watches = [&] {
    return shell_.figure("etcd_debugging_mvcc_watcher_total");
  };
  const Client one = open(short_);
  const Client two = open_directly(short_);
  long most = 0;
  for (int i = 0; i < 5; ++i) {
    Mutex holder(one, "a");
    Mutex waiter(two, "a");
    holder.lock();
    EXPECT_FALSE(waiter.acquire({.wait = scaled(50ms)}));
    auto entered = wait_for(waiter);
    EXPECT_TRUE(still_waits(entered));
    most = std::max(most, watches());
    holder.unlock();
    EXPECT_TRUE(entered.get().token);
  }
  EXPECT_GE(most, 1);
  EXPECT_TRUE(eventually([&] { return watches() == 0; })) << watches();
}

// The holder is told, so it does not drop the claim any more.
TEST_F(EtcdCounts, NothingIsLeftOfAClaimThatAnotherClientEnded) {
  const auto watches = [&] {
    return shell_.figure("etcd_debugging_mvcc_watcher_total");
  };
  const Client client = open(short_);
  const Hold hold = Mutex(client, "a").acquire().value();
  ASSERT_TRUE(eventually([&] { return watches() == 1; })) << "it is not renewed";
  const std::string own = only_key("a").key;
  ASSERT_TRUE(shell_.remove(own));
  ASSERT_TRUE(told_soon(hold));
  EXPECT_TRUE(eventually([&] { return watches() == 0; })) << watches();
  EXPECT_TRUE(eventually([&] { return shell_.below(key("%marks/since/")).empty(); }))
      << "its grant time";
  const Hold next = Mutex(client, "a").acquire().value();
  EXPECT_EQ(only_key("a").key, own) << "the session's own key is not used again";
}

// The losses are told when the renewal returns.
TEST_F(EtcdCounts, ManyLossesTakeFewCalls) {
  constexpr std::size_t kMany = 250;
  const Client client = open();
  std::deque<ClaimLock> locks;
  std::vector<engine::ClaimRef> refs;
  for (std::size_t i = 0; i < kMany; ++i) {
    ClaimLock& lock = locks.emplace_back(
        client, engine::Address{engine::Kind::mutex, std::to_string(i)});
    ASSERT_TRUE(lock.begin());
    refs.push_back({&lock.resource(), &lock.claim()});
  }
  ASSERT_TRUE(client.session().renew(refs, soon()));
  const std::string times = key("%marks/since/");
  ASSERT_EQ(shell_.below(times).size(), kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    shell_.remove(only_key(std::to_string(i)).key);
  }
  const int before = line_.passed()["Txn"];
  ASSERT_TRUE(client.session().renew(refs, soon()));
  EXPECT_EQ(line_.passed()["Txn"] - before, 6)
      << "250 are asked about, and cleared away";
  EXPECT_TRUE(std::ranges::all_of(refs, [](const engine::ClaimRef& each) {
    return each.outcome == make_error_code(Errc::not_held);
  }));
  EXPECT_TRUE(shell_.below(times).empty());
}

// Clients that take turns wait behind the same key again and again: its watch is kept,
// and a grant takes little more than the three transactions. Watches that were made
// for each wait would be four messages more.
TEST_F(EtcdCounts, ACrowdKeepsItsWatches) {
  constexpr int kClients = 4;
  constexpr int kGrants = 250;
  const auto messages = [&] {
    return shell_.figure(
        "grpc_server_msg_received_total{grpc_method=\"Watch\","
        "grpc_service=\"etcdserverpb.Watch\",grpc_type=\"bidi_stream\"}");
  };
  const long before = messages();
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < kClients; ++i) {
      crowd.emplace_back([this] {
        Mutex mutex(open_directly(), "a");
        for (int grant = 0; grant < kGrants; ++grant) {
          const std::scoped_lock lock(mutex);
        }
      });
    }
  }
  const long sent = messages() - before;
  EXPECT_GE(sent, kClients);
  EXPECT_LE(sent, kClients * kGrants);
}

// How often the thread that drives the streams was woken.
long wakes_of_the_loop() {
  long wakes = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string line;
    std::ifstream comm(task.path() / "comm");
    if (!std::getline(comm, line) || line != "hf-etcd") continue;
    std::ifstream status(task.path() / "status");
    constexpr std::string_view kWakes = "voluntary_ctxt_switches:";
    while (std::getline(status, line)) {
      if (line.starts_with(kWakes)) wakes += std::stol(line.substr(kWakes.size()));
    }
  }
  return wakes;
}

// If the loop received the answers, it would be woken at least once for each call, so
// twice for each pair.
TEST_F(EtcdCounts, ACallerReceivesItsOwnAnswers) {
  constexpr int kPairs = 1000;
  Mutex mutex(open_directly(), "a");
  const auto start = Clock::now();
  const long before = wakes_of_the_loop();
  for (int i = 0; i < kPairs; ++i) const std::scoped_lock lock(mutex);
  const long wakes = wakes_of_the_loop() - before;
  const auto rounds = (Clock::now() - start) / 10ms;
  EXPECT_LE(wakes, kPairs + 4 * rounds);
}

TEST_F(EtcdCounts, AWaiterDoesNotPoll) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  EXPECT_TRUE(still_waits(entered));
  const auto before = line_.passed();
  EXPECT_TRUE(throughout(1s, [] { return true; }));
  EXPECT_EQ(spelt(count_.since(before)), "");
  holder.unlock();
  EXPECT_TRUE(entered.get().token);
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Waiters at rest: how little they cost the servers, and what they notice all the same.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "faults/redis/ground.h"
#include "holdfast/election.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/redis_cluster.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

// One client holds all of these names, and another waits for each of them.
class Crowd {
 public:
  Crowd(const Client& holder, const Client& waiter,
        const std::vector<std::string>& names) {
    for (const auto& name : names) {
      held_.emplace(name, Mutex(holder, name).acquire().value());
    }
    for (const auto& name : names) {
      ++waiting_;
      Mutex(waiter, name).acquire_async({}, [this, name](Result<Hold> hold) {
        const std::lock_guard lock(mutex_);
        granted_.emplace(name, std::move(hold));
        --waiting_;
      });
    }
  }
  ~Crowd() {
    held_.clear();
    EXPECT_TRUE(eventually([&] { return waiting_ == 0; })) << waiting_ << " still wait";
  }

  void release(const std::string& name) { EXPECT_TRUE(held_.at(name).release()); }
  void release_all() {
    for (auto& [name, hold] : held_) EXPECT_TRUE(hold.release());
  }

  std::size_t waiting() const { return waiting_; }

  // Returns how the wait for the name has ended, or nothing if it has not.
  const Result<Hold>* outcome(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = granted_.find(name);
    return found == granted_.end() ? nullptr : &found->second;
  }
  bool has(const std::string& name) {
    return eventually([&] { return outcome(name) != nullptr; }) &&
           outcome(name)->has_value();
  }

 private:
  std::map<std::string, Hold> held_;
  std::atomic<std::size_t> waiting_{0};
  std::mutex mutex_;
  std::map<std::string, Result<Hold>> granted_;
};

// Returns whether there are soon no more than `most` requests in a time in which a
// waiter that is not at rest asks for itself.
bool comes_to_rest(const std::function<long()>& requests, long most) {
  return eventually(
      [&] {
        const long before = requests();
        return throughout(5s, [&] {
          std::this_thread::sleep_for(50ms);
          return requests() - before <= most;
        });
      },
      scaled(60s));
}

std::vector<std::string> names(std::size_t number) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < number; ++i) all.push_back("n" + std::to_string(i));
  return all;
}

constexpr std::size_t kMany = 1'000;
constexpr auto kLongTtl = 10min;  // so that no renewal is counted

TEST(RedisRest, AThousandWaitersCostTheServerAFewRequests) {
  const RedisServer server;
  const auto requests = [&] { return server.calls("evalsha"); };
  Crowd crowd(open_quietly(server.url(), kLongTtl), open_quietly(server.url()),
              names(kMany));
  EXPECT_TRUE(comes_to_rest(requests, kMany / 20));
  EXPECT_EQ(crowd.waiting(), kMany);
  crowd.release_all();
  EXPECT_TRUE(eventually([&] { return crowd.waiting() == 0; }));
}

TEST(RedisClusterRest, AThousandWaitersCostTheServersAFewRequests) {
  const RedisCluster cluster;
  const auto requests = [&] {
    long all = 0;
    for (std::size_t i = 0; i < cluster.size(); ++i) all += cluster[i].calls("evalsha");
    return all;
  };
  Crowd crowd(open_quietly(cluster.url(), kLongTtl), open_quietly(cluster.url()),
              names(kMany));
  EXPECT_TRUE(comes_to_rest(requests, kMany / 10));
  EXPECT_EQ(crowd.waiting(), kMany);
  crowd.release_all();
  EXPECT_TRUE(eventually([&] { return crowd.waiting() == 0; }));
}

TEST(RedisClusterRest, AWaiterStaysInTheQueueWhenItsSlotMoves) {
  RedisCluster cluster;
  const auto requests = [&] {
    long all = 0;
    for (std::size_t i = 0; i < cluster.size(); ++i) all += cluster[i].calls("evalsha");
    return all;
  };
  Crowd crowd(open_quietly(cluster.url(), kLongTtl), open_quietly(cluster.url()),
              names(30));
  ASSERT_TRUE(comes_to_rest(requests, 15));
  const auto to = (cluster.primary_of("n0") + 1) % 3;
  cluster.move_slot(cluster.slot_of("n0"), to);
  EXPECT_TRUE(comes_to_rest(requests, 15));
  EXPECT_EQ(cluster[to].command({"ZCARD", "holdfast_queue:{n0}"}), "1");
  crowd.release("n0");
  EXPECT_TRUE(crowd.has("n0"));
}

class RestOnRedis : public OnRedis {
 protected:
  // There are more waiters than requests that keep them all.
  bool comes_to_rest() {
    return test::comes_to_rest([&] { return server_.calls("evalsha"); }, 5);
  }
  static std::vector<std::string> with_others(std::vector<std::string> some) {
    for (auto& name : names(10)) some.push_back(std::move(name));
    return some;
  }

  std::string owner(const std::string& name) const {
    return server_.command({"ZRANGE", "holdfast_queue:{" + name + "}", "0", "0"});
  }
  std::string record(const std::string& name) const {
    return "holdfast:{" + name + "}:" + owner(name);
  }
  long left(const std::string& key) const {
    return std::stol(server_.command({"PTTL", key}));
  }
};

TEST_F(RestOnRedis, TheEntryOfAWaiterIsKeptAndNotForLong) {
  Crowd crowd(open_directly(kLongTtl), open_directly(), with_others({"a"}));
  ASSERT_TRUE(comes_to_rest());
  const std::string key = record("a");
  // An attempt would have made it so new, too, but there was none for five seconds.
  EXPECT_TRUE(eventually([&] { return left(key) > 14'000; }));
  EXPECT_LE(left(key), 15'000);
  EXPECT_GT(left("holdfast_queue:{a}"), 45'000);
}

TEST_F(RestOnRedis, TheEntryOfACandidateIsKept) {
  std::atomic<bool> elected{false};
  const Client first = open_directly(kLongTtl);
  const Client second = open_directly();
  Election leader(first, "e");
  Election candidate(second, "e");
  ASSERT_TRUE(leader.campaign());
  candidate.campaign_async({}, {},
                           [&](Result<void> won) { elected = won.has_value(); });
  // Every attempt of a candidate sets its record.
  ASSERT_TRUE(test::comes_to_rest([&] { return server_.calls("set"); }, 0));
  const std::string queue = "holdfast_election_queue:{e}";
  const std::string key =
      "holdfast_candidate:{e}:" + server_.command({"ZRANGE", queue, "0", "0"});
  EXPECT_TRUE(eventually([&] { return left(key) > 14'000; }));
  ASSERT_TRUE(leader.resign());
  EXPECT_TRUE(eventually([&] { return elected.load(); }));
}

TEST_F(RestOnRedis, AWaiterNoticesWhatNoMessageTells) {
  Crowd crowd(open_directly(kLongTtl), open_directly(),
              with_others({"free", "granted", "peer", "lost", "held"}));
  ASSERT_TRUE(comes_to_rest());
  server_.command({"SCRIPT", "FLUSH"});

  server_.command({"DEL", "free"});  // as when the lease of a dead holder is over

  const std::string mine = owner("granted");
  server_.command({"SET", record("granted"), "g|77|1|0|1|w|", "PX", "60000"});
  server_.command({"DEL", "granted"});
  server_.command({"HSET", "granted", mine, "1"});
  server_.command({"PEXPIRE", "granted", "60000"});

  server_.command({"DEL", "peer"});
  server_.command({"HSET", "peer", "0c3d:7", "1"});

  const std::string queue = "holdfast_queue:{lost}";
  server_.command({"DEL", record("lost"), queue});

  EXPECT_TRUE(crowd.has("free"));
  ASSERT_TRUE(crowd.has("granted"));
  EXPECT_EQ((*crowd.outcome("granted"))->token().value, 77u);
  const std::string channel = "redisson_lock__channel:{peer}";
  EXPECT_TRUE(eventually([&] {
    return server_.command({"PUBSUB", "NUMSUB", channel}) == channel + " 1";
  }));
  server_.command({"DEL", "peer"});
  server_.command({"PUBLISH", channel, "0"});
  EXPECT_TRUE(crowd.has("peer"));
  EXPECT_TRUE(eventually([&] { return server_.command({"ZCARD", queue}) == "1"; }));
  EXPECT_EQ(crowd.outcome("held"), nullptr);
}

TEST_F(RestOnRedis, WaitersAskForThemselvesWhenTheServerDoesNotAnswer) {
  Crowd crowd(open_directly(kLongTtl), open(scaled(2s)), with_others({"a", "b"}));
  ASSERT_TRUE(comes_to_rest());
  line_.lose_replies(1);
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(crowd.waiting(), 12u);
  crowd.release("a");
  EXPECT_TRUE(crowd.has("a"));
  line_.unreachable(true);
  ASSERT_TRUE(eventually([&] { return crowd.outcome("b") != nullptr; }));
  EXPECT_EQ(crowd.outcome("b")->error(), Errc::unavailable);
}

}  // namespace
}  // namespace holdfast::test

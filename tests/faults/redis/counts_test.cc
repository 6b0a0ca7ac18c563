// SPDX-License-Identifier: Apache-2.0

// What a lock costs the server, in commands.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "holdfast/recursive_mutex.h"
#include "support/eventually.h"
#include "support/fault_proxy.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using engine::Kind;

int sum(const std::map<std::string, int>& requests) {
  return std::accumulate(
      requests.begin(), requests.end(), 0,
      [](int so_far, const auto& each) { return so_far + each.second; });
}

TEST(RedisCounts, TwoCommandsPerPair) {
  const RedisServer server;
  const FaultProxy line(server.port());  // it sees every request
  const Client client = open_quietly(line.url());
  Mutex mutex(client, "a");
  mutex.lock();
  mutex.unlock();
  const auto before = line.passed();
  for (int i = 0; i < 100; ++i) {
    mutex.lock();
    mutex.unlock();
  }
  const auto after = line.passed();
  EXPECT_EQ(after.at("EVALSHA") - before.at("EVALSHA"), 200);
  EXPECT_EQ(sum(after) - sum(before), 200);
}

TEST(RedisCounts, NoCommandToReEnter) {
  const RedisServer server;
  const FaultProxy line(server.port());
  RecursiveMutex mutex(open_quietly(line.url()), "a");
  mutex.lock();
  const int before = sum(line.passed());
  for (int i = 0; i < 100; ++i) mutex.lock();
  for (int i = 0; i < 100; ++i) mutex.unlock();
  EXPECT_EQ(sum(line.passed()), before);
  mutex.unlock();
}

struct FreePath {
  const char* name;
  Kind kind;
  engine::Claim like;
  long attempt;  // the most commands inside the script
  long drop;
};

void PrintTo(const FreePath& path, std::ostream* out) { *out << path.name; }

class RedisFreePath : public testing::TestWithParam<FreePath> {};

INSTANTIATE_TEST_SUITE_P(
    , RedisFreePath,
    testing::Values(
        FreePath{"mutex", Kind::mutex, {}, 7, 5},
        FreePath{"fair_mutex", Kind::fair_mutex, {}, 8, 5},
        FreePath{"reader", Kind::shared_mutex, {.mode = engine::Mode::shared}, 9, 6},
        FreePath{"writer", Kind::shared_mutex, {}, 9, 6},
        FreePath{"semaphore", Kind::semaphore, {.capacity = 5}, 10, 10}),
    [](const auto& each) { return std::string(each.param.name); });

// The first claim makes keys that stay, so the second one counts.
TEST_P(RedisFreePath, IsShortInsideTheScripts) {
  const RedisServer server;
  const Client client = open_quietly(server.url());
  for (const bool counts : {false, true}) {
    ClaimLock lock(client, {GetParam().kind, "a"}, GetParam().like);
    EXPECT_EQ(server.command({"CONFIG", "RESETSTAT"}), "OK");
    ASSERT_TRUE(lock.acquire());
    const long attempt = calls_in_scripts(server);
    ASSERT_TRUE(lock.release());
    if (!counts) continue;
    EXPECT_LE(attempt, GetParam().attempt);
    EXPECT_LE(calls_in_scripts(server) - attempt, GetParam().drop);
  }
}

// What the server does for one hand-over of a FairMutex for which so many wait.
long commands_per_fair_grant(int waiters) {
  const RedisServer server;
  const Client client = open_quietly(server.url());
  const engine::Address at{Kind::fair_mutex, "a"};
  ClaimLock holder(client, at);
  EXPECT_TRUE(holder.begin());
  std::vector<std::unique_ptr<ClaimLock>> all;
  for (int i = 0; i < waiters; ++i) {
    all.push_back(std::make_unique<ClaimLock>(client, at));
    EXPECT_FALSE(all.back()->begin());
  }
  EXPECT_EQ(server.command({"CONFIG", "RESETSTAT"}), "OK");
  EXPECT_TRUE(holder.release());
  const long calls = calls_in_scripts(server);
  EXPECT_TRUE(all.front()->again()) << "the release has granted it the lock";
  return calls;
}

TEST(RedisCounts, AFairGrantCostsTheSameHoweverManyWait) {
  const long few = commands_per_fair_grant(2);
  EXPECT_LE(few, 16);
  EXPECT_EQ(commands_per_fair_grant(16), few);
  EXPECT_EQ(commands_per_fair_grant(200), few);
}

// Clients that want it again and again: one request to enter the queue, and the release
// that hands the lock over.
TEST(RedisCounts, ThreeCommandsPerContendedFairGrant) {
  constexpr int kClients = 4;
  constexpr int kTimes = 50;
  const RedisServer server;
  EXPECT_EQ(server.command({"CONFIG", "RESETSTAT"}), "OK");
  std::vector<std::jthread> threads;
  threads.reserve(kClients);
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([client = open_quietly(server.url())] {
      FairMutex mutex(client, "a");
      for (int time = 0; time < kTimes; ++time) {
        const auto hold = mutex.acquire({.wait = patience()});
        EXPECT_TRUE(hold) << hold.error().message();
      }
    });
  }
  threads.clear();
  long commands = 0;
  for (const auto* each : {"evalsha", "eval", "subscribe", "unsubscribe"}) {
    commands += server.calls(each);
  }
  RecordProperty("commands", std::to_string(commands));
  EXPECT_LE(commands, 3 * kClients * kTimes);
}

// So many clients wait; each passes the lock on as soon as it has it.
double commands_per_hand_over(int waiters) {
  const RedisServer server;
  Mutex first(open_quietly(server.url()), "a");
  first.lock();
  const auto number = static_cast<std::size_t>(waiters);
  std::vector<std::jthread> threads;
  threads.reserve(number);
  for (int i = 0; i < waiters; ++i) {
    threads.emplace_back([client = open_quietly(server.url())] {
      Mutex mutex(client, "a");
      const auto hold = mutex.acquire({.wait = patience()});
      EXPECT_TRUE(hold) << hold.error().message();
    });
  }
  const Client observer = open_quietly(server.url());
  const auto resource = observer.session().bind({Kind::mutex, "a"}).value();
  EXPECT_TRUE(eventually(
      [&] { return resource->survey(100, soon()).value().size() == number + 1; }));
  EXPECT_EQ(server.command({"CONFIG", "RESETSTAT"}), "OK");
  first.unlock();
  threads.clear();
  return static_cast<double>(server.calls("evalsha") + server.calls("eval")) / waiters;
}

// A waiter that is in the queue when the count begins only gives the lock up. It asks
// by itself every few seconds, which a busy machine may give it time for.
TEST(RedisCounts, CommandsPerHandOver) {
  const double two = commands_per_hand_over(2);
  const double twelve = commands_per_hand_over(12);
  RecordProperty("two", std::to_string(two));
  RecordProperty("twelve", std::to_string(twelve));
  EXPECT_LE(two, 2.5);
  EXPECT_LE(twelve, 2.5);
}

// The commands of one release, with those inside its script, while so many clients
// wait.
long commands_of_a_release(int waiters) {
  const RedisServer server;
  const engine::Address at{engine::Kind::mutex, "a"};
  ClaimLock holder(open_quietly(server.url()), at);
  EXPECT_TRUE(holder.begin());
  std::vector<std::unique_ptr<ClaimLock>> all;
  for (int i = 0; i < waiters; ++i) {
    all.push_back(std::make_unique<ClaimLock>(open_quietly(server.url()), at));
    EXPECT_FALSE(all.back()->begin());
  }
  EXPECT_EQ(server.command({"CONFIG", "RESETSTAT"}), "OK");
  EXPECT_TRUE(holder.release());
  const std::string stats = server.command({"INFO", "commandstats"});
  long sum = 0;
  for (std::size_t found = stats.find("calls="); found != std::string::npos;
       found = stats.find("calls=", found + 1)) {
    sum += std::stol(stats.substr(found + 6));
  }
  return sum;
}

TEST(RedisCounts, AReleaseCostsTheSameHoweverManyClientsWait) {
  EXPECT_EQ(commands_of_a_release(40), commands_of_a_release(2));
}

// The same under way: processes that want it again and again.
double commands_per_grant(int processes) {
  constexpr int kTimes = 60;
  const RedisServer server;
  const TempDir dir;
  std::vector<std::unique_ptr<Victim>> victims;
  victims.reserve(static_cast<std::size_t>(processes));
  for (int i = 0; i < processes; ++i) {
    victims.push_back(std::make_unique<Victim>(server.url(), scaled(30s)));
  }
  EXPECT_EQ(server.command({"CONFIG", "RESETSTAT"}), "OK");
  for (const auto& each : victims) {
    each->tell("count " + dir.file("n") + " " + std::to_string(kTimes) + " a");
  }
  for (const auto& each : victims) EXPECT_EQ(each->answer(2 * patience()), "ok");
  return static_cast<double>(server.calls("evalsha") + server.calls("eval")) /
         (processes * kTimes);
}

TEST(RedisCounts, CommandsPerGrantOfManyProcesses) {
  const double two = commands_per_grant(2);
  const double six = commands_per_grant(6);
  RecordProperty("two", std::to_string(two));
  RecordProperty("six", std::to_string(six));
  EXPECT_LE(two, 2.5);
  EXPECT_LE(six, 2.5);
}

}  // namespace
}  // namespace holdfast::test

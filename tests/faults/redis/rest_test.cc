// SPDX-License-Identifier: Apache-2.0

// Waiters at rest: how little they cost the servers, and what they notice all the same.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "faults/redis/ground.h"
#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "support/redis_cluster.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

using Held = std::shared_ptr<void>;                // released when it is destroyed
using WaitEnded = std::function<void(Held held)>;  // with null if it was not granted

// A kind of claim that waits in a queue: how a client holds what others wait for, and
// how one of them waits.
struct QueuedKind {
  std::string name;
  std::string url_options;
  bool one_by_one;  // A release grants one waiter.
  std::function<Held(const Client&, const std::string&)> hold;
  std::function<void(const Client&, const std::string&, WaitOptions, WaitEnded)> wait;
};

template <class T>
Held held(Result<T> hold) {
  return std::make_shared<T>(std::move(hold).value());
}

template <class T>
Completion<T> tell(WaitEnded ended) {
  return [ended = std::move(ended)](Result<T> hold) {
    ended(hold ? held(std::move(hold)) : nullptr);
  };
}

// The party that waits enters when these do.
class OtherParties {
 public:
  static constexpr std::uint32_t kThreshold = 4;
  OtherParties(Client client, std::string name)
      : client_(std::move(client)), name_(std::move(name)) {}
  OtherParties(const OtherParties&) = delete;
  OtherParties& operator=(const OtherParties&) = delete;
  ~OtherParties() {
    std::vector<std::unique_ptr<DoubleBarrier>> parties;
    std::latch in(kThreshold);
    for (std::uint32_t i = 0; i < kThreshold; ++i) {
      parties.push_back(std::make_unique<DoubleBarrier>(client_, name_, kThreshold));
      parties.back()->enter_async({.wait = patience()},
                                  [&](const Result<void>&) { in.count_down(); });
    }
    in.wait();
  }

 private:
  const Client client_;
  const std::string name_;
};

template <class Lock>
QueuedKind lock_kind(std::string name) {
  return {std::move(name), "", true,
          [](const Client& client, const std::string& lock) {
            return held(Lock(client, lock).acquire());
          },
          [](const Client& client, const std::string& lock, WaitOptions options,
             WaitEnded ended) {
            Lock(client, lock).acquire_async(options, tell<Hold>(std::move(ended)));
          }};
}

QueuedKind semaphore_kind(std::string name, std::string url_options) {
  return {std::move(name), std::move(url_options), true,
          [](const Client& client, const std::string& semaphore) {
            return held(Semaphore(client, semaphore, 1).acquire());
          },
          [](const Client& client, const std::string& semaphore, WaitOptions options,
             WaitEnded ended) {
            Semaphore(client, semaphore, 1)
                .acquire_async(options, tell<Permits>(std::move(ended)));
          }};
}

Held held_exclusively(const Client& client, const std::string& lock) {
  return held(SharedMutex(client, lock).acquire());
}

QueuedKind writer_kind() {
  return {"writer", "", true, held_exclusively,
          [](const Client& client, const std::string& lock, WaitOptions options,
             WaitEnded ended) {
            SharedMutex(client, lock)
                .acquire_async(options, tell<SharedHold>(std::move(ended)));
          }};
}

QueuedKind reader_kind() {
  return {"reader", "", false, held_exclusively,
          [](const Client& client, const std::string& lock, WaitOptions options,
             WaitEnded ended) {
            SharedMutex(client, lock)
                .acquire_shared_async(options, tell<SharedHold>(std::move(ended)));
          }};
}

QueuedKind candidate_kind() {
  return {"candidate", "", true,
          [](const Client& client, const std::string& election) -> Held {
            auto leader = std::make_shared<Election>(client, election);
            EXPECT_TRUE(leader->campaign());
            return leader;
          },
          [](const Client& client, const std::string& election, WaitOptions options,
             WaitEnded ended) {
            auto candidate = std::make_shared<Election>(client, election);
            candidate->campaign_async({}, options, [=](const Result<void>& leads) {
              ended(leads ? candidate : nullptr);
            });
          }};
}

QueuedKind party_kind() {
  return {"party", "", false,
          [](const Client& client, const std::string& barrier) -> Held {
            return std::make_shared<OtherParties>(client, barrier);
          },
          [](const Client& client, const std::string& barrier, WaitOptions options,
             WaitEnded ended) {
            auto party = std::make_shared<DoubleBarrier>(client, barrier,
                                                         OtherParties::kThreshold);
            party->enter_async(
                options, [=](const Result<void>& in) { ended(in ? party : nullptr); });
          }};
}

const std::vector<QueuedKind>& kinds() {
  static const std::vector<QueuedKind> all{lock_kind<Mutex>("mutex"),
                                           lock_kind<FairMutex>("fair"),
                                           writer_kind(),
                                           reader_kind(),
                                           semaphore_kind("semaphore", ""),
                                           semaphore_kind("plain", "?semaphore=plain"),
                                           candidate_kind(),
                                           party_kind()};
  return all;
}

const QueuedKind& kind(const std::string& name) {
  for (const QueuedKind& each : kinds()) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("there is no kind of this name");
}

// A client for each set of options that a kind needs.
class Clients {
 public:
  Clients(std::string url, std::chrono::milliseconds ttl)
      : url_(std::move(url)), ttl_(ttl) {}
  const Client& of(const QueuedKind& kind) {
    auto& client = clients_[kind.url_options];
    if (!client) client.emplace(open_quietly(url_ + kind.url_options, ttl_));
    return *client;
  }

 private:
  const std::string url_;
  const std::chrono::milliseconds ttl_;
  std::map<std::string, std::optional<Client>> clients_;
};

constexpr auto kLongTtl = 10min;  // so that no renewal is counted

// Some clients hold names, and others wait for them. A wait is known by its label.
class Crowd {
 public:
  explicit Crowd(const std::string& url) : holders_(url, kLongTtl) {}
  ~Crowd() {
    release_all();
    EXPECT_TRUE(eventually([&] { return waiting_ == 0; })) << waiting_ << " still wait";
  }

  void hold(const QueuedKind& kind, const std::string& name) {
    held_.emplace(name, kind.hold(holders_.of(kind), name));
  }
  void wait(const QueuedKind& kind, const Client& client, const std::string& name,
            const std::string& label, const WaitOptions& options = {}) {
    ++waiting_;
    kind.wait(client, name, options, [this, label](Held held) {
      const std::lock_guard lock(mutex_);
      ended_.push_back({label, std::move(held)});
      --waiting_;
    });
  }
  void hold_and_wait(const QueuedKind& kind, const Client& client,
                     const std::string& name) {
    hold(kind, name);
    wait(kind, client, name, name);
  }

  void release(const std::string& name) { held_.erase(name); }
  void release_all() { held_.clear(); }

  // Lets go what a wait has been granted.
  void let_go(const std::string& label) {
    Held gone;
    const std::lock_guard lock(mutex_);
    for (auto& [each, held] : ended_) {
      if (each == label) gone.swap(held);
    }
  }

  std::size_t waiting() const { return waiting_; }
  bool has_ended(const std::string& label) const { return find(label).has_value(); }
  bool is_granted(const std::string& label) const {
    return eventually([&] { return has_ended(label); }) && *find(label) != nullptr;
  }

 private:
  std::optional<Held> find(const std::string& label) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [each, held] : ended_) {
      if (each == label) return held;
    }
    return std::nullopt;
  }

  Clients holders_;
  std::map<std::string, Held> held_;
  std::atomic<std::size_t> waiting_{0};
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, Held>> ended_;
};

// Returns whether there are soon no more than `most` of these calls in a time in which
// a waiter that is not at rest asks for itself.
bool comes_to_rest(const std::function<long()>& calls, long most) {
  return eventually(
      [&] {
        const long before = calls();
        return throughout(5s, [&] {
          std::this_thread::sleep_for(50ms);
          return calls() - before <= most;
        });
      },
      scaled(60s));
}

long calls(const RedisCluster& cluster, std::string_view command) {
  long all = 0;
  for (std::size_t i = 0; i < cluster.size(); ++i) all += cluster[i].calls(command);
  return all;
}

constexpr std::size_t kMany = 1'000;

// Each attempt sets the record of its claim, and whatever keeps the entry does not.
void expect_few_requests(const std::string& url,
                         const std::function<long(std::string_view)>& calls,
                         long most_requests) {
  Clients waiters(url, scaled(30s));
  Crowd crowd(url);
  for (std::size_t i = 0; i < kMany; ++i) {
    const QueuedKind& each = kinds()[i % kinds().size()];
    crowd.hold_and_wait(each, waiters.of(each), "n" + std::to_string(i));
  }
  EXPECT_TRUE(comes_to_rest([&] { return calls("set"); }, 0));
  EXPECT_TRUE(comes_to_rest([&] { return calls("evalsha"); }, most_requests));
  EXPECT_EQ(crowd.waiting(), kMany);
  crowd.release_all();
  EXPECT_TRUE(eventually([&] { return crowd.waiting() == 0; }));
}

TEST(RedisRest, AThousandWaitersCostTheServerAFewRequests) {
  const RedisServer server;
  expect_few_requests(
      server.url(), [&](std::string_view command) { return server.calls(command); },
      kMany / 10);
}

TEST(RedisClusterRest, AThousandWaitersCostTheServersAFewRequests) {
  const RedisCluster cluster;
  expect_few_requests(
      cluster.url(), [&](std::string_view command) { return calls(cluster, command); },
      kMany / 5);
}

// Returns the records of the claims that wait for this name.
std::vector<std::string> entries(const RedisServer& server, const std::string& name) {
  std::vector<std::string> waiting;
  std::istringstream keys(server.command({"KEYS", "holdfast*{" + name + "}:*:h*"}));
  for (std::string key; keys >> key;) {
    if (server.command({"GETRANGE", key, "0", "0"}) == "w") waiting.push_back(key);
  }
  return waiting;
}

TEST(RedisClusterRest, AWaiterStaysInTheQueueWhenItsSlotMoves) {
  RedisCluster cluster;
  Clients waiters(cluster.url(), scaled(30s));
  Crowd crowd(cluster.url());
  for (const QueuedKind& each : kinds()) {
    crowd.hold_and_wait(each, waiters.of(each), each.name);
  }
  const auto attempts = [&] { return calls(cluster, "set"); };
  ASSERT_TRUE(comes_to_rest(attempts, 0));
  std::map<std::string, std::size_t> moved_to;
  for (const QueuedKind& each : kinds()) {
    const auto to = (cluster.primary_of(each.name) + 1) % 3;
    moved_to[each.name] = to;
    cluster.move_slot(cluster.slot_of(each.name), to);
  }
  EXPECT_TRUE(comes_to_rest(attempts, 0));
  for (const QueuedKind& each : kinds()) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(entries(cluster[moved_to[each.name]], each.name).size(), 1u);
    crowd.release(each.name);
    EXPECT_TRUE(crowd.is_granted(each.name));
  }
}

class RestOnRedis : public OnRedis {
 protected:
  Clients waiters() const { return {server_.url(), scaled(30s)}; }

  // Every attempt of a waiter sets its record.
  long attempts() const { return server_.calls("set"); }
  bool comes_to_rest() const {
    return test::comes_to_rest([&] { return attempts(); }, 0);
  }

  std::vector<std::string> entries(const std::string& name) const {
    return test::entries(server_, name);
  }
  std::string entry(const std::string& name) const {
    const auto all = entries(name);
    return all.empty() ? "none" : all.front();
  }
  std::string owner(const std::string& name) const {
    const std::string record = entry(name);
    return record.substr(record.find("}:") + 2);
  }
  long left(const std::string& key) const {
    return std::stol(server_.command({"PTTL", key}));
  }
  long now() const {
    return std::stol(server_.command({"EVAL", "return redis.call('time')[1]", "0"})) *
           1000;
  }
};

TEST_F(RestOnRedis, EntriesAreKeptBeyondTheirTimeAndServedInOrder) {
  std::vector<Clients> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(waiters());
  Crowd crowd(server_.url());
  for (const QueuedKind& each : kinds()) {
    crowd.hold(each, each.name);
    for (std::size_t i = 0; i < clients.size(); ++i) {
      crowd.wait(each, clients[i].of(each), each.name, each.name + std::to_string(i));
      EXPECT_TRUE(eventually([&] { return entries(each.name).size() == i + 1; }));
    }
  }
  ASSERT_TRUE(comes_to_rest());
  const long before = attempts();
  std::vector<std::string> keys;
  for (const QueuedKind& each : kinds()) {
    for (const auto& key : entries(each.name)) keys.push_back(key);
  }
  EXPECT_EQ(keys.size(), 3 * kinds().size());
  // An entry lives for 15 s.
  EXPECT_TRUE(throughout(16s, [&] {
    std::this_thread::sleep_for(100ms);
    for (const auto& key : keys) {
      if (left(key) <= 5'000 || left(key) > 15'000) return false;
    }
    return true;
  }));
  EXPECT_EQ(attempts(), before);

  for (const QueuedKind& each : kinds()) {
    SCOPED_TRACE(each.name);
    crowd.release(each.name);
    for (int i = 0; i < 3; ++i) {
      const std::string label = each.name + std::to_string(i);
      EXPECT_TRUE(crowd.is_granted(label)) << label;
      if (!each.one_by_one) continue;
      for (int later = i + 1; later < 3; ++later) {
        EXPECT_FALSE(crowd.has_ended(each.name + std::to_string(later)));
      }
      crowd.let_go(label);
    }
  }
}

TEST_F(RestOnRedis, TheEntryOfADeadWaiterEnds) {
  Clients dead(line_.url(), scaled(2s));
  Clients living = waiters();
  Crowd crowd(server_.url());
  for (const QueuedKind& each : kinds()) {
    crowd.hold(each, each.name);
    crowd.wait(each, dead.of(each), each.name, each.name + "-dead");
    EXPECT_TRUE(eventually([&] { return entries(each.name).size() == 1; }));
    crowd.wait(each, living.of(each), each.name, each.name);
  }
  ASSERT_TRUE(comes_to_rest());
  line_.unreachable(true);
  for (const QueuedKind& each : kinds()) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(
        eventually([&] { return entries(each.name).size() == 1; }, scaled(30s)));
    crowd.release(each.name);
    EXPECT_TRUE(crowd.is_granted(each.name));
  }
  EXPECT_TRUE(throughout(5s, [&] {
    std::this_thread::sleep_for(50ms);
    return entries("*").empty();
  }));
}

TEST_F(RestOnRedis, AWaiterThatGaveUpIsNotKept) {
  Clients clients = waiters();
  Crowd crowd(server_.url());
  std::stop_source stop;
  for (const QueuedKind& each : kinds()) {
    crowd.hold(each, each.name);
    crowd.wait(each, clients.of(each), each.name, each.name,
               {.stop = stop.get_token()});
  }
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(entries("*").size(), kinds().size());
  stop.request_stop();
  EXPECT_TRUE(eventually([&] { return crowd.waiting() == 0; }));
  EXPECT_TRUE(eventually([&] { return entries("*").empty(); }));
  EXPECT_TRUE(throughout(5s, [&] {  // The thread that keeps entries comes by.
    std::this_thread::sleep_for(50ms);
    return entries("*").empty();
  }));
}

// It may have what it waits for, as when the lease of a dead holder is over; or its
// entry is lost.
TEST_F(RestOnRedis, AWaiterNoticesWhatNoMessageTells) {
  Clients clients = waiters();
  Crowd crowd(server_.url());
  for (const QueuedKind& each : kinds()) {
    for (const char* const what : {"-free", "-lost", "-held"}) {
      crowd.hold_and_wait(each, clients.of(each), each.name + what);
    }
  }
  ASSERT_TRUE(comes_to_rest());
  server_.command({"SCRIPT", "FLUSH"});
  for (const char* const each : {"mutex", "fair", "writer", "reader"}) {
    server_.command({"DEL", each + std::string("-free")});
  }
  server_.command({"INCR", "semaphore-free"});
  server_.command({"INCR", "plain-free"});
  server_.command({"DEL", "holdfast_election:{candidate-free}"});
  server_.command(
      {"HSET", "holdfast_double_barrier:{party-free}", owner("party-free"), "g"});
  std::map<std::string, std::string> lost;
  for (const QueuedKind& each : kinds()) {
    lost[each.name] = entry(each.name + "-lost");
    server_.command({"DEL", lost[each.name]});
  }
  for (const QueuedKind& each : kinds()) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(crowd.is_granted(each.name + "-free"));
    EXPECT_TRUE(eventually([&] { return entry(each.name + "-lost") != "none"; }));
    EXPECT_FALSE(crowd.has_ended(each.name + "-held"));
  }
}

TEST_F(RestOnRedis, AWaiterNoticesThatItHoldsTheLock) {
  Clients clients = waiters();
  Crowd crowd(server_.url());
  for (const char* const each : {"mutex", "fair"}) {
    crowd.hold_and_wait(kind(each), clients.of(kind(each)), each);
  }
  ASSERT_TRUE(comes_to_rest());
  for (const std::string each : {"mutex", "fair"}) {
    const std::string mine = owner(each);
    server_.command({"SET", entry(each), "g|77|1|0|1|w|", "PX", "60000"});
    server_.command({"DEL", each});
    server_.command({"HSET", each, mine, "1"});
    server_.command({"PEXPIRE", each, "60000"});
    EXPECT_TRUE(crowd.is_granted(each));
  }
}

TEST_F(RestOnRedis, AWaiterListensWhenAPeerHasTheLock) {
  Clients clients = waiters();
  Crowd crowd(server_.url());
  for (const char* const each : {"mutex", "fair"}) {
    crowd.hold_and_wait(kind(each), clients.of(kind(each)), each);
  }
  ASSERT_TRUE(comes_to_rest());
  for (const std::string each : {"mutex", "fair"}) {
    SCOPED_TRACE(each);
    server_.command({"DEL", each});
    server_.command({"HSET", each, "0c3d:7", "1"});
    std::string channel = "redisson_lock__channel:{" + each + "}";
    if (each == "fair") channel += ":" + owner(each);
    EXPECT_TRUE(eventually([&] {
      return server_.command({"PUBSUB", "NUMSUB", channel}) == channel + " 1";
    }));
    server_.command({"DEL", each});
    server_.command({"PUBLISH", channel, "0"});
    EXPECT_TRUE(crowd.is_granted(each));
  }
}

// Redisson removes the first waiter of a fair lock when its time is over.
TEST_F(RestOnRedis, TheTimeThatPeersGiveAFairWaiterIsMovedOn) {
  Clients clients = waiters();
  Crowd crowd(server_.url());
  crowd.hold_and_wait(kind("fair"), clients.of(kind("fair")), "a");
  ASSERT_TRUE(comes_to_rest());
  const long before = attempts();
  const std::string timeouts = "redisson_lock_timeout:{a}";
  server_.command({"ZADD", timeouts, std::to_string(now() + 1'000), owner("a")});
  EXPECT_TRUE(eventually([&] {
    const auto time = server_.command({"ZSCORE", timeouts, owner("a")});
    return std::stod(time) > static_cast<double>(now() + 60'000);
  }));
  EXPECT_EQ(attempts(), before);
}

TEST_F(RestOnRedis, AReaderBehindAWriterRestsUntilTheWriterIsGone) {
  Clients clients = waiters();
  Clients dead(line_.url(), scaled(30s));
  Crowd crowd(server_.url());
  const Client& client = clients.of(kind("reader"));
  auto readers = held(SharedMutex(client, "a").acquire_shared());
  crowd.wait(kind("writer"), dead.of(kind("writer")), "a", "writer");
  EXPECT_TRUE(eventually([&] { return entries("a").size() == 1; }));
  crowd.wait(kind("reader"), client, "a", "reader");
  EXPECT_TRUE(comes_to_rest());
  EXPECT_FALSE(crowd.has_ended("reader"));
  line_.unreachable(true);
  EXPECT_TRUE(crowd.is_granted("reader"));
  line_.unreachable(false);
  readers.reset();
  crowd.let_go("reader");
}

TEST_F(RestOnRedis, AWaiterForPermitsRestsBehindOneThatWantsMore) {
  Clients clients = waiters();
  Crowd crowd(server_.url());
  const Client& client = clients.of(kind("semaphore"));
  Semaphore semaphore(client, "a", 3);
  auto two = semaphore.acquire_many(2);
  ASSERT_TRUE(two);
  std::atomic<bool> refused{false};
  Result<Permits> small = Errc::timed_out;
  std::atomic<bool> served{false};
  semaphore.acquire_many_async(3, {}, [&](const Result<Permits>& permits) {
    refused = !permits && permits.error().code == Errc::bad_argument;
  });
  EXPECT_TRUE(eventually([&] { return entries("a").size() == 1; }));
  semaphore.acquire_async({}, [&](Result<Permits> permits) {
    small = std::move(permits);
    served = true;
  });
  EXPECT_TRUE(comes_to_rest());
  EXPECT_FALSE(served);
  // The first one now wants more than there is, and no message tells it.
  server_.command({"DECR", "a"});
  EXPECT_TRUE(eventually([&] { return refused.load(); }));
  ASSERT_TRUE(two->release());
  EXPECT_TRUE(eventually([&] { return served.load(); }));
  EXPECT_TRUE(small);
}

TEST_F(RestOnRedis, WaitersAskForThemselvesWhenTheServerDoesNotAnswer) {
  Clients clients(line_.url(), scaled(2s));
  Crowd crowd(server_.url());
  for (const QueuedKind& each : kinds()) {
    crowd.hold_and_wait(each, clients.of(each), each.name);
    crowd.hold_and_wait(each, clients.of(each), each.name + "-kept");
  }
  ASSERT_TRUE(comes_to_rest());
  line_.lose_replies(1);
  ASSERT_TRUE(comes_to_rest());
  EXPECT_EQ(crowd.waiting(), 2 * kinds().size());
  for (const QueuedKind& each : kinds()) {
    crowd.release(each.name);
    EXPECT_TRUE(crowd.is_granted(each.name));
  }
  line_.unreachable(true);
  for (const QueuedKind& each : kinds()) {
    const std::string label = each.name + "-kept";
    EXPECT_TRUE(eventually([&] { return crowd.has_ended(label); }));
    EXPECT_FALSE(crowd.is_granted(label));
  }
  line_.unreachable(false);
}

}  // namespace
}  // namespace holdfast::test

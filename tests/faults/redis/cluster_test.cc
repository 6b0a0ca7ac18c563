// SPDX-License-Identifier: Apache-2.0

// A Redis Cluster: what goes wrong between its servers while locks are held and waited
// for.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "faults/ground.h"
#include "faults/redis/ground.h"
#include "holdfast/engine/session.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "support/free_port.h"
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

  void finish_move(const std::string& name) {
    const auto from = cluster_.primary_of(name);
    for (const auto& key : cluster_.keys_in(slot_of(name), from)) {
      cluster_.move_key(key, from, other_than(from));
    }
    cluster_.end_move(slot_of(name), other_than(from));
  }

  // Returns a name whose slot is at the server.
  std::string name_at(std::size_t server) const {
    std::string name = "n";
    while (cluster_.primary_of(name) != server) name += "n";
    return name;
  }

  RedisCluster cluster_{3, 0, {"cluster-require-full-coverage no"}};
};

// Returns how often the server has answered with this error.
long errors(const RedisServer& server, const std::string& error) {
  const std::string info = server.command({"INFO", "errorstats"});
  const std::string before = "errorstat_" + error + ":count=";
  const auto at = info.find(before);
  return at == std::string::npos ? 0 : std::stol(info.substr(at + before.size()));
}

// Sixteen waiters on two clients get in one after the other while the slot goes around.
TEST_F(OnRedisCluster, AMovingSlotLosesNoHoldAndGrantsNoneTwice) {
  const Client holder = open();
  const Client others[] = {open(), open()};
  auto hold = Mutex(holder, "a").acquire().value();
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> entered{0};
  std::vector<std::jthread> waiters;
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
  EXPECT_EQ(entered, 0);
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

// The release is repeated until the slot has arrived.
TEST_F(OnRedisCluster, AReleaseInAMovingSlotIsNotForgotten) {
  const Client client = open();
  const Client other = open();
  auto hold = Mutex(client, "a").acquire().value();
  const auto from = cluster_.primary_of("a");
  move_half("a", {"a"});
  std::thread release([&] { (void)hold.release(); });
  EXPECT_TRUE(eventually([&] { return errors(cluster_[from], "TRYAGAIN") > 0; }));
  finish_move("a");
  release.join();
  const auto next = Mutex(other, "a").acquire({.wait = scaled(10s)});
  EXPECT_TRUE(next) << next.error().message();
}

// The release would read the record of the waiter, which has left. It is refused before
// it has changed anything.
TEST_F(OnRedisCluster, NoScriptEndsHalfwayForARecordThatHasMoved) {
  const Client clients[] = {open(), open(), open()};
  auto first = SharedMutex(clients[0], "a").acquire_shared().value();
  auto second = SharedMutex(clients[1], "a").acquire_shared().value();
  std::thread writer(
      [&] { EXPECT_TRUE(SharedMutex(clients[2], "a").acquire({.wait = patience()})); });
  const auto from = cluster_.primary_of("a");
  std::string record;  // of the writer
  EXPECT_TRUE(eventually([&] {
    for (const auto& key : cluster_.keys_in(slot_of("a"), from)) {
      if (cluster_[from].command({"GET", key}).starts_with("w|")) record = key;
    }
    return !record.empty();
  }));
  move_half("a", {record});
  std::thread release([&] { (void)first.release(); });
  EXPECT_TRUE(eventually([&] { return errors(cluster_[from], "TRYAGAIN") > 0; }));
  EXPECT_EQ(cluster_[from].command({"HLEN", "a"}), "3");
  finish_move("a");
  release.join();
  (void)second.release();
  writer.join();
}

// What cannot be done now is asked for again, with a pause.
TEST_F(OnRedisCluster, AHalfMovedSlotIsNotAskedHot) {
  const Client client = open();
  { const auto known = Mutex(client, "a").acquire().value(); }
  move_half("a", {"redisson_lock_token:{a}"});
  const auto from = cluster_.primary_of("a");
  EXPECT_FALSE(Mutex(client, "a").acquire({.wait = scaled(500ms)}));
  const long refused = errors(cluster_[from], "TRYAGAIN") +
                       errors(cluster_[other_than(from)], "TRYAGAIN");
  EXPECT_GE(refused, 2);
  EXPECT_LE(refused, 20);
  finish_move("a");
  EXPECT_TRUE(Mutex(client, "a").acquire({.wait = patience()}));
}

// Its claims are renewed apart from the others, which stay held for many leases.
TEST_F(OnRedisCluster, AServerThatStopsTakesItsOwnSlotsAlone) {
  const auto ttl = scaled(1s);
  const Client client = open(ttl);
  const auto lost = Mutex(client, name_at(0)).acquire().value();
  const auto kept = Mutex(client, name_at(1)).acquire().value();
  const std::string third = name_at(2);
  cluster_[0].pause();
  EXPECT_TRUE(eventually([&] { return lost.lost().stop_requested(); }));
  std::this_thread::sleep_for(2 * ttl);
  EXPECT_FALSE(kept.lost().stop_requested());
  EXPECT_TRUE(Mutex(client, third).acquire({.wait = patience()}));
  cluster_[0].resume();
}

TEST_F(OnRedisCluster, AClusterThatIsDownIsAskedWithPausesUntilItIsBack) {
  const Client client = open();
  const std::string name = name_at(2);
  { const auto known = Mutex(client, name).acquire().value(); }
  cluster_[0].pause();
  cluster_[1].pause();
  ASSERT_TRUE(eventually([&] {
    return cluster_[2].command({"CLUSTER", "INFO"}).find("cluster_state:fail") !=
           std::string::npos;
  }));
  const auto refused = Mutex(client, name).acquire({.wait = scaled(500ms)});
  ASSERT_FALSE(refused);
  EXPECT_LE(errors(cluster_[2], "CLUSTERDOWN"), 20);
  cluster_[0].resume();
  cluster_[1].resume();
  EXPECT_TRUE(Mutex(client, name).acquire({.wait = patience()}));
}

TEST_F(OnRedisCluster, AWaiterIsWokenOnTheChannelOfItsSlot) {
  const Client holder = open();
  const Client waiter = open();
  for (std::size_t server = 0; server < cluster_.size(); ++server) {
    const std::string name = name_at(server);
    auto hold = Mutex(holder, name).acquire().value();
    std::thread release([&] {
      EXPECT_TRUE(eventually([&] {
        return cluster_[server].command({"ZCARD", "holdfast_queue:{" + name + "}"}) ==
               "1";
      }));
      EXPECT_TRUE(hold.release());
    });
    const auto next = Mutex(waiter, name).acquire({.wait = patience()});
    release.join();
    ASSERT_TRUE(next) << next.error().message();
    EXPECT_EQ(cluster_[server].calls("publish"), 0);
    EXPECT_GT(cluster_[server].calls("spublish"), 0);
  }
}

TEST_F(OnRedisCluster, AnUncontendedPairIsTwoCommands) {
  const Client client = open();
  Mutex mutex(client, "a");
  { const auto known = mutex.acquire().value(); }
  const RedisServer& server = cluster_[cluster_.primary_of("a")];
  const long before = server.calls("evalsha");
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(mutex.acquire());
  EXPECT_EQ(server.calls("evalsha") - before, 40);
  EXPECT_EQ(errors(server, "MOVED"), 0);
}

// The holder is told at once, by the channel of the slot, long before its next renewal.
TEST_F(OnRedisCluster, AHolderIsToldThatAnOperatorEndedItsClaim) {
  const Client holder = open(scaled(300s));
  const Client operator_client = open();
  const auto hold = Mutex(holder, "a").acquire().value();
  const auto resource =
      operator_client.session().bind({engine::Kind::mutex, "a"}).value();
  const RedisServer& server = cluster_[cluster_.primary_of("a")];
  ASSERT_TRUE(eventually([&] {
    return !RedisSocket(server.port())
                .call({"PUBSUB", "SHARDCHANNELS", "holdfast_bell:*"})
                .items.empty();
  }));
  const auto end = Clock::now() + patience();
  const auto claims = resource->survey(10, end).value();
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_TRUE(resource->evict(claims[0].owner, end));
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
}

TEST_F(OnRedisCluster, TheNamesOfAllServersAreListed) {
  const Client client = open();
  std::set<std::string> held;
  std::vector<Hold> holds;
  for (std::size_t server = 0; server < cluster_.size(); ++server) {
    held.insert(name_at(server));
    holds.push_back(Mutex(client, name_at(server)).acquire().value());
  }
  std::set<std::string> listed;
  std::string from;
  do {
    const auto page = client.session().list("", from, Clock::now() + patience());
    ASSERT_TRUE(page) << page.error().message();
    for (const auto& each : page->addresses) listed.insert(each.name);
    from = page->next;
  } while (!from.empty());
  EXPECT_EQ(listed, held);
}

TEST_F(OnRedisCluster, TheServersAreDescribedWithoutAskingThem) {
  const Client client = open();
  cluster_[0].pause();
  const auto servers = client.session().servers();
  cluster_[0].resume();
  ASSERT_EQ(servers.size(), cluster_.size());
  std::set<std::string> where;
  std::set<std::string> slots;
  for (const auto& each : servers) {
    where.insert(each.server);
    ASSERT_EQ(each.properties.size(), 6U) << each.server;
    EXPECT_EQ(each.properties[0].value, "primary");
    slots.insert(each.properties[1].value);
    EXPECT_EQ(each.properties[4].value, "none") << "the persistence";
  }
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    EXPECT_TRUE(where.contains("127.0.0.1:" + std::to_string(cluster_[i].port())));
  }
  EXPECT_EQ(slots, (std::set<std::string>{"0-5460", "5461-10921", "10922-16383"}));
}

TEST_F(OnRedisCluster, NamesWhoseBracesCannotWorkAreRefused) {
  const Client client = open();
  for (const char* const name : {"a{b", "a{}b", "a}b"}) {
    const auto refused = Mutex(client, name).acquire();
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, Errc::bad_argument);
    EXPECT_NE(refused.error().message().find("braces"), std::string::npos);
  }
  EXPECT_TRUE(Mutex(client, "{a}b").acquire());
}

TEST_F(OnRedisCluster, APasswordThatOneServerDoesNotAcceptIsToldWithItsAddress) {
  ASSERT_EQ(cluster_[1].command({"CONFIG", "SET", "requirepass", "secret"}), "OK");
  const auto refused = Client::open(cluster_.url());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied);
  EXPECT_NE(refused.error().message().find(std::to_string(cluster_[1].port())),
            std::string::npos)
      << refused.error().message();
}

// The map leads to an address where nothing listens; the other slots can be used.
TEST_F(OnRedisCluster, ASlotWhoseServerCannotBeReachedFailsAlone) {
  const std::string hidden = "127.0.0.1:" + std::to_string(cluster_[0].port());
  const Client client =
      open_quietly("redis+cluster://127.0.0.1:" + std::to_string(cluster_[1].port()) +
                       "?nat=" + hidden + "=127.0.0.1:1",
                   scaled(30s));
  EXPECT_TRUE(Mutex(client, name_at(1)).acquire());
  const auto refused = Mutex(client, name_at(0)).acquire({.wait = scaled(200ms)});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("127.0.0.1:1"), std::string::npos)
      << refused.error().message();
}

TEST_F(OnRedisCluster, AUrlOfTheWrongFormIsAnsweredWithTheRightOne) {
  const auto plain = Client::open(cluster_[0].url());
  ASSERT_FALSE(plain);
  EXPECT_NE(plain.error().message().find("its URL is redis+cluster://127.0.0.1:"),
            std::string::npos)
      << plain.error().message();
  const RedisServer single;
  const auto cluster =
      Client::open("redis+cluster://127.0.0.1:" + std::to_string(single.port()));
  ASSERT_FALSE(cluster);
  EXPECT_NE(cluster.error().message().find("begins with redis://"), std::string::npos)
      << cluster.error().message();
  const auto tls = Client::open("rediss" + cluster_.url().substr(5));
  ASSERT_FALSE(tls);
  EXPECT_NE(tls.error().message().find("starts with redis+cluster://"),
            std::string::npos)
      << tls.error().message();
}

// A URL whose first and last address lead nowhere.
std::string among_dead(const std::string& address) {
  return "redis+cluster://127.0.0.1:" + std::to_string(free_port()) + "," + address +
         ",127.0.0.1:" + std::to_string(free_port());
}

Failure why_not_opened(const std::string& url) {
  const auto opened = Client::open(url);
  return opened ? Failure(Errc::internal, "it was opened") : opened.error();
}

// What one server says must not be hidden by the others, which cannot be reached.
TEST(RedisClusterOpening, SaysWhatAServerThatIsNoClusterSays) {
  const RedisServer single;
  const std::string address = "127.0.0.1:" + std::to_string(single.port());
  const Failure why = why_not_opened(among_dead(address));
  EXPECT_EQ(why.code, Errc::unsupported);
  EXPECT_NE(why.message().find(address + " is no Redis Cluster"), std::string::npos)
      << why.message();
}

TEST(RedisClusterOpening, SaysWhichServerRefusesThePassword) {
  const RedisServer shut({"requirepass right"});
  const std::string address = "127.0.0.1:" + std::to_string(shut.port());
  const Failure missing = why_not_opened(among_dead(address));
  EXPECT_EQ(missing.code, Errc::denied);
  EXPECT_NE(missing.message().find(address + " wants a password"), std::string::npos)
      << missing.message();
  std::string url = among_dead(address);
  url.insert(url.find("//") + 2, ":wrong@");
  const Failure wrong = why_not_opened(url);
  EXPECT_EQ(wrong.code, Errc::denied);
  EXPECT_NE(wrong.message().find(address + " refuses: the password"), std::string::npos)
      << wrong.message();
}

TEST(RedisClusterOpening, SaysThatThereAreNoSlotsYet) {
  const RedisServer lonely(
      {"cluster-enabled yes", "cluster-port " + std::to_string(free_port())});
  const std::string address = "127.0.0.1:" + std::to_string(lonely.port());
  const Failure why = why_not_opened(among_dead(address));
  EXPECT_EQ(why.code, Errc::unavailable);
  EXPECT_NE(why.message().find(address + " belongs to a cluster in which no server"),
            std::string::npos)
      << why.message();
}

// A server that does not answer takes its time.
TEST(RedisClusterOpening, SaysWhatIsKnownWhenTheTimeIsOver) {
  const RedisServer shut({"requirepass right"});
  RedisServer silent(
      {"bind 127.0.0.1 127.0.0.2 127.0.0.3 127.0.0.4 127.0.0.5 "
       "127.0.0.6 127.0.0.7"});
  silent.pause();
  std::string url = "redis+cluster://127.0.0.1:" + std::to_string(shut.port());
  for (int i = 2; i <= 7; ++i) {
    url += ",127.0.0." + std::to_string(i) + ":" + std::to_string(silent.port());
  }
  const Failure why = why_not_opened(url);
  silent.resume();
  EXPECT_EQ(why.code, Errc::denied) << why.message();
}

}  // namespace
}  // namespace holdfast::test

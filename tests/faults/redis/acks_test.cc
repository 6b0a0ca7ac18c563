// SPDX-License-Identifier: Apache-2.0

// ?ack=N: a lock counts only when so many replicas have it.

#include <gtest/gtest.h>

#include <variant>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/redis_cluster.h"

namespace holdfast::test {
namespace {

class RedisAcks : public testing::Test {
 protected:
  std::vector<std::string> replica_lines() const {
    return {"replicaof 127.0.0.1 " + std::to_string(master_.port())};
  }
  static bool follows(const RedisServer& replica) {
    return eventually([&] {
      const std::string info = replica.command({"INFO", "replication"});
      return info.find("master_link_status:up") != std::string::npos;
    });
  }

  RedisServer master_{{"repl-diskless-sync yes", "repl-diskless-sync-delay 0"}};
};

TEST_F(RedisAcks, EnoughReplicas) {
  const RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const Client client = open_quietly(master_.url("?ack=1"));
  Mutex mutex(client, "a");
  for (int i = 0; i < 10; ++i) {
    auto hold = mutex.acquire();
    ASSERT_TRUE(hold) << hold.error().message();
    EXPECT_EQ(replica.command({"EXISTS", "a"}), "1") << "it has been acknowledged";
    EXPECT_TRUE(hold->release());
  }
}

TEST_F(RedisAcks, TooFewReplicas) {
  const RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const Client client = open_quietly(master_.url("?ack=2&ack_time=100ms"));
  const auto refused = Mutex(client, "a").acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
  EXPECT_TRUE(eventually([this] { return left_behind(master_).empty(); }))
      << left_behind(master_);
}

TEST_F(RedisAcks, AReplicaThatStandsStill) {
  RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const Client client = open_quietly(master_.url("?ack=1&ack_time=100ms"));
  Mutex mutex(client, "a");
  const auto works = [&] {
    return mutex.acquire({.wait = Timeout::zero()}).has_value();
  };
  EXPECT_TRUE(eventually(works));
  replica.pause();
  EXPECT_FALSE(works());
  replica.resume();
  const auto after = mutex.acquire({.wait = patience()});
  EXPECT_TRUE(after) << after.error().message();
}

// A drop between two attempts with one ticket could arrive after the second of them.
TEST_F(RedisAcks, AGrantWithTooFewAcksStaysForTheNextAttempt) {
  RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const FaultProxy line(master_.port());
  const Client client = open_quietly(line.url("?ack=1&ack_time=50ms"));
  const auto resource = client.session().bind({engine::Kind::mutex, "a"}).value();
  const engine::Claim claim{.ticket = next_ticket()};
  const auto attempt = [&] {
    return resource->attempt(claim, client.session().signal(), soon());
  };
  replica.pause();
  const auto refused = attempt();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable) << refused.error().message();
  const std::string owner = master_.command({"HKEYS", "a"});
  EXPECT_NE(owner, "");
  const auto requests = line.passed();
  replica.resume();
  ASSERT_TRUE(eventually([&] {
    const auto verdict = attempt();
    return verdict && std::holds_alternative<engine::Granted>(*verdict);
  }));
  EXPECT_EQ(master_.command({"HKEYS", "a"}), owner);
  EXPECT_EQ(line.passed()["EVALSHA"] - requests.at("EVALSHA"),
            line.passed()["WAIT"] - requests.at("WAIT"))
      << "something else than an attempt was sent";
  EXPECT_TRUE(resource->drop(claim, soon()));
  EXPECT_EQ(left_behind(master_), "");
}

// The script that hands a lock over does not wait for replicas, so the waiter asks.
TEST_F(RedisAcks, AreCountedAlsoForALockThatIsHandedOver) {
  RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const Client client = open_quietly(master_.url("?ack=1&ack_time=50ms"));
  const auto resource = client.session().bind({engine::Kind::mutex, "a"}).value();
  const engine::Claim holder{.ticket = next_ticket()};
  const engine::Claim waiter{.ticket = next_ticket()};
  const engine::Waker signal = client.session().signal();
  const auto is_granted = [](const Result<engine::Verdict>& verdict) {
    return verdict && std::holds_alternative<engine::Granted>(*verdict);
  };
  ASSERT_TRUE(eventually(
      [&] { return is_granted(resource->attempt(holder, nullptr, soon())); }));
  const auto attempt = [&] { return resource->attempt(waiter, signal, soon()); };
  ASSERT_FALSE(is_granted(attempt().value()));
  replica.pause();
  ASSERT_TRUE(resource->drop(holder, soon()));
  EXPECT_EQ(master_.command({"EXISTS", "a"}), "1") << "it was handed over";
  signal->wait(soon());
  const auto refused = attempt();
  ASSERT_FALSE(refused) << "no replica has it";
  EXPECT_EQ(refused.error().code, Errc::unavailable) << refused.error().message();
  replica.resume();
  EXPECT_TRUE(eventually([&] { return is_granted(attempt()); }));
  EXPECT_TRUE(resource->drop(waiter, soon()));
}

TEST_F(RedisAcks, ALostAnswerDoesNotEndTheWaitForReplicas) {
  RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  FaultProxy line(master_.port());
  const Client client = open_quietly(line.url("?ack=1&ack_time=50ms"));
  Mutex mutex(client, "a");
  { const auto hold = mutex.acquire({.wait = patience()}).value(); }
  replica.pause();
  line.lose_replies(1);
  auto entered = wait_for(mutex);
  const int before = line.passed()["WAIT"];
  EXPECT_TRUE(eventually([&] { return line.passed()["WAIT"] >= before + 3; }));
  replica.resume();
  EXPECT_EQ(entered.get().why_not, "");
}

TEST_F(RedisAcks, AMajorityOfAllServers) {
  RedisServer one(replica_lines());
  RedisServer other(replica_lines());
  ASSERT_TRUE(follows(one) && follows(other));
  const Client client = open_quietly(master_.url("?ack=majority&ack_time=100ms"));
  Mutex mutex(client, "a");
  const auto works = [&] {
    return mutex.acquire({.wait = Timeout::zero()}).has_value();
  };
  EXPECT_TRUE(eventually(works));
  one.pause();
  EXPECT_TRUE(eventually(works)) << "two of three servers have it";
  other.pause();
  EXPECT_FALSE(works());
  one.resume();
  EXPECT_TRUE(eventually(works));
}

// A replica that takes over would end the lock when the lease that it knows of is over.
TEST_F(RedisAcks, ARenewalThatNoReplicaHasDoesNotCount) {
  RedisServer replica(replica_lines());
  ASSERT_TRUE(follows(replica));
  const auto ttl = scaled(std::chrono::seconds(2));
  const Client client = open_quietly(master_.url("?ack=1&ack_time=100ms"), ttl);
  const auto hold = Mutex(client, "a").acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_FALSE(eventually([&] { return !hold->valid(); }, 2 * ttl))
      << "it is renewed as long as the replica follows";
  replica.pause();
  EXPECT_TRUE(eventually([&] { return hold->lost().stop_requested(); }, 2 * ttl));
}

// When the session is opened, every primary has one replica. Then one primary has all
// three, and two of them die: the lock needs the confirmation of two.
TEST(RedisClusterAcks, AMajorityIsOneOfTheShardAsItIsNow) {
  RedisCluster cluster(3, 1, {"cluster-allow-replica-migration no"});
  const auto primary = cluster.primary_of("a");
  const RedisServer& server = cluster[primary];
  const Client client = open_quietly(cluster.url("?ack=majority&ack_time=100ms"));
  Mutex mutex(client, "a");
  const auto works = [&] {
    return mutex.acquire({.wait = Timeout::zero()}).has_value();
  };
  EXPECT_TRUE(eventually(works));
  const std::string id = server.command({"CLUSTER", "MYID"});
  const std::size_t others[] = {3 + (primary + 1) % 3, 3 + (primary + 2) % 3};
  for (const auto other : others) {
    ASSERT_EQ(cluster[other].command({"CLUSTER", "REPLICATE", id}), "OK");
  }
  const auto count = [&](std::size_t at, const std::string& replicas) {
    const std::string nodes = cluster[at].command({"CLUSTER", "NODES"});
    int number = 0;
    for (auto i = nodes.find(replicas); i != nodes.npos; ++number) {
      i = nodes.find(replicas, i + 1);
    }
    return number;
  };
  for (std::size_t at = 0; at < 3; ++at) {
    ASSERT_TRUE(eventually([&] { return count(at, "slave " + id) == 3; }));
  }
  for (const auto other : others) cluster[other].kill();
  for (std::size_t at = 0; at < 3; ++at) {
    ASSERT_TRUE(eventually([&] { return count(at, "slave,fail " + id) == 2; }));
  }
  // A slot that has moved makes the client look.
  std::string moved = "b";
  while (cluster.primary_of(moved) == primary) moved += "b";
  cluster.move_slot(cluster.slot_of(moved), primary);
  EXPECT_TRUE(eventually([&] {
    (void)Mutex(client, moved).acquire({.wait = Timeout::zero()});
    return !works();
  }));
  EXPECT_FALSE(works());
}

}  // namespace
}  // namespace holdfast::test

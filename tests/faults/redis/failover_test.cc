// SPDX-License-Identifier: Apache-2.0

// A replica takes over, and lacks what its master confirmed last.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class RedisFailover : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(eventually([this] {
      const std::string info = replica_.command({"INFO", "replication"});
      return info.find("master_link_status:up") != std::string::npos;
    }));
  }

  // From now on the replica learns nothing. Clients go to it when the master is dead.
  void part() { ASSERT_EQ(replica_.command({"REPLICAOF", "NO", "ONE"}), "OK"); }

  RedisServer master_{{"repl-diskless-sync yes", "repl-diskless-sync-delay 0"}};
  RedisServer replica_{{"replicaof 127.0.0.1 " + std::to_string(master_.port())}};
};

TEST_F(RedisFailover, TokensGrowThoughTheLastOnesAreLost) {
  const Client before = open_quietly(master_.url());
  { const auto known = Mutex(before, "a").acquire().value(); }
  ASSERT_TRUE(eventually([this] {
    return replica_.command({"EXISTS", "redisson_lock_token:{a}"}) == "1" &&
           replica_.command({"EXISTS", "a"}) == "0";
  }));
  part();
  FencingToken last;
  for (int i = 0; i < 100; ++i) last = Mutex(before, "a").acquire().value().token();
  master_.kill();
  const Client after = open_quietly(replica_.url());
  EXPECT_GT(Mutex(after, "a").acquire().value().token(), last);
}

TEST_F(RedisFailover, AHolderWhoseLockWasLostIsToldBeforeItsLeaseIsOver) {
  const auto ttl = scaled(1s);
  const Client before = open_quietly(master_.url(), ttl);
  part();
  const auto hold = Mutex(before, "a").acquire().value();
  master_.kill();
  const auto start = Clock::now();
  // The promoted server does not know of the lock: only the token tells the two apart.
  const Client after = open_quietly(replica_.url());
  const auto next = Mutex(after, "a").acquire({.wait = Timeout::zero()});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_GT(next->token(), hold.token());
  EXPECT_TRUE(eventually([&] { return hold.lost().stop_requested(); }));
  EXPECT_LE(Clock::now() - start, ttl + scaled(200ms));
}

// Both servers have a socket of their own, and clients are sent to one that moves.
TEST_F(RedisFailover, AServerThatBecameAReplicaIsLeft) {
  const TempDir dir;
  const std::string address = dir.file("redis");
  const auto socket = [&](const std::string& name) {
    return std::vector<std::string>{"unixsocket " + dir.file(name)};
  };
  const RedisServer before(socket("before"));
  const RedisServer after(socket("after"));
  const auto lead_to = [&](const std::string& name) {
    ASSERT_EQ(symlink(dir.file(name).c_str(), (address + "~").c_str()), 0);
    ASSERT_EQ(rename((address + "~").c_str(), address.c_str()), 0);
  };
  const auto listeners = [](const RedisServer& server) {
    return server.command({"CLIENT", "LIST", "TYPE", "pubsub"});
  };
  lead_to("before");
  const auto ttl = scaled(1s);
  const Client client = open_quietly("redis://" + address, ttl);
  const auto hold = Mutex(client, "held").acquire().value();
  ASSERT_TRUE(eventually([&] { return !listeners(before).empty(); }));
  lead_to("after");
  ASSERT_EQ(before.command({"REPLICAOF", "127.0.0.1", std::to_string(after.port())}),
            "OK");
  const auto start = Clock::now();
  const auto moved = Mutex(client, "a").acquire({.wait = patience()});
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_LT(Clock::now() - start, scaled(3s));
  EXPECT_EQ(after.command({"EXISTS", "a"}), "1");
  EXPECT_TRUE(eventually([&] { return !listeners(after).empty(); }))
      << "a waiter is woken on a channel that it is not subscribed to";
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Locks and tokens made by hand, as peers on Redisson and other clients make them.

#include <gtest/gtest.h>

#include <future>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPeer = "6a9a3a0e-0e5b-4c0b-9a51-b3f3c1f0a001:42";

class RedisPeers : public testing::Test {
 protected:
  void peer_locks(const std::string& name, std::chrono::milliseconds lease) {
    ASSERT_EQ(server_.command({"HSET", name, kPeer, "1"}), "1");
    ASSERT_EQ(server_.command({"PEXPIRE", name, std::to_string(lease.count())}), "1");
  }

  std::shared_future<Entered> wait_for_peer(Mutex& mutex) {
    auto entered = wait_for(mutex);
    EXPECT_TRUE(has_claims(server_, {engine::Kind::mutex, "a"}, 2));
    return entered;
  }

  RedisServer server_;
};

TEST_F(RedisPeers, KeepUsOut) {
  peer_locks("a", scaled(30s));
  const Client client = open_quietly(server_.url());
  Mutex mutex(client, "a");
  EXPECT_FALSE(mutex.try_lock());
  const auto resource = client.session().bind({engine::Kind::mutex, "a"}).value();
  const auto entries = resource->survey(9, soon()).value();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].owner, kPeer);
  EXPECT_TRUE(entries[0].granted);
  ASSERT_TRUE(entries[0].left);
  EXPECT_LE(*entries[0].left, scaled(30s));
  EXPECT_TRUE(resource->evict(kPeer, soon()));
  EXPECT_TRUE(mutex.try_lock());
}

TEST_F(RedisPeers, WakeUsByTheirMessage) {
  peer_locks("a", scaled(30s));
  Mutex mutex(open_quietly(server_.url()), "a");
  auto entered = wait_for_peer(mutex);
  const auto released = Clock::now();
  ASSERT_EQ(server_.command({"DEL", "a"}), "1");
  EXPECT_NE(server_.command({"PUBLISH", "redisson_lock__channel:{a}", "0"}), "0");
  EXPECT_LT(entered.get().at - released, scaled(2s));
}

TEST_F(RedisPeers, ThatDieLetUsInWithTheirLease) {
  const auto start = Clock::now();
  peer_locks("a", scaled(700ms));
  Mutex mutex(open_quietly(server_.url()), "a");
  const auto entered = wait_for_peer(mutex).get().at;
  EXPECT_GE(entered - start, scaled(700ms));
  EXPECT_LT(entered - start, scaled(2s));
}

TEST_F(RedisPeers, SeeOurLockAndHearOurUnlock) {
  RedisSocket subscriber(server_.port());
  subscriber.call({"SUBSCRIBE", "redisson_lock__channel:{a}"});
  Mutex mutex(open_quietly(server_.url()), "a");
  mutex.lock();
  EXPECT_EQ(server_.command({"TYPE", "a"}), "hash");
  EXPECT_EQ(server_.command({"HVALS", "a"}), "1");
  EXPECT_GT(std::stol(server_.command({"PTTL", "a"})), 0);
  mutex.unlock();
  const Resp message = subscriber.read();
  EXPECT_EQ(message.items.at(0).text, "message");
  EXPECT_EQ(message.items.at(2).number(), 0) << "a decimal number, and UNLOCK";
}

// A peer that waits is subscribed to the lock's channel, and needs a lock that is free.
// A waiter of ours competes with it once, and is handed the lock the next time.
TEST_F(RedisPeers, ThatWaitGetTheirChanceAndSoDoWe) {
  RedisSocket peer(server_.port());
  peer.call({"SUBSCRIBE", "redisson_lock__channel:{a}"});
  const Client client = open_quietly(server_.url());
  const engine::Address at{engine::Kind::mutex, "a"};
  ClaimLock holder(client, at);
  ClaimLock waiter(client, at);
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  for (int round = 0; round < 2; ++round) {
    SCOPED_TRACE(round);
    ASSERT_TRUE(holder.release());
    EXPECT_EQ(peer.read().items.at(2).text, "00");
    EXPECT_EQ(server_.command({"EXISTS", "a"}), "0") << "it is free for both";
    ClaimLock faster(client, at);
    ASSERT_TRUE(faster.begin());
    ASSERT_FALSE(waiter.again()) << "it was woken and lost";
    ASSERT_TRUE(faster.release());
    EXPECT_NE(server_.command({"EXISTS", "a"}), "0") << "it was handed over";
    EXPECT_EQ(peer.read().items.at(2).text, "00");
    ASSERT_TRUE(waiter.again());
    ASSERT_TRUE(waiter.release());
    EXPECT_EQ(peer.read().items.at(2).text, "00");
    ASSERT_TRUE(holder.begin());
    ASSERT_FALSE(waiter.begin());
  }
}

// No sign tells of peers that poll, so the plain string is always free for a moment.
TEST_F(RedisPeers, WithAPlainStringGetTheirChanceAndSoDoWe) {
  const Client client = open_quietly(server_.url("?layout=string"));
  const engine::Address at{engine::Kind::mutex, "a"};
  ClaimLock holder(client, at);
  ClaimLock waiter(client, at);
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.begin());
  ASSERT_TRUE(holder.release());
  ASSERT_EQ(server_.command({"EXISTS", "a"}), "0");
  ASSERT_TRUE(holder.begin());
  ASSERT_FALSE(waiter.again()) << "it was woken and lost";
  ASSERT_TRUE(holder.release());
  EXPECT_EQ(server_.command({"EXISTS", "a"}), "1") << "it was handed over";
  EXPECT_TRUE(waiter.again());
}

// Only a waiter that a peer keeps out listens to peers. When it leaves, the next waiter
// takes its place.
TEST_F(RedisPeers, AreHeardByTheFirstWaiter) {
  const auto listeners = [&] {
    return RedisSocket(server_.port())
        .call({"PUBSUB", "NUMSUB", "redisson_lock__channel:{a}"})
        .items.at(1)
        .number();
  };
  const engine::Address at{engine::Kind::mutex, "a"};
  ClaimLock holder(open_quietly(server_.url()), at);
  ASSERT_TRUE(holder.begin());
  ClaimLock first(open_quietly(server_.url()), at);
  ASSERT_FALSE(first.begin());
  Mutex second(open_quietly(server_.url()), "a");
  auto entered = wait_for(second);
  ASSERT_TRUE(has_claims(server_, at, 3));
  EXPECT_EQ(listeners(), 0);
  server_.command({"DEL", "a"});
  peer_locks("a", scaled(30s));
  ASSERT_FALSE(first.again());
  EXPECT_EQ(listeners(), 1);
  ASSERT_TRUE(first.release());
  EXPECT_TRUE(eventually([&] { return listeners() == 2; })) << "the second listens now";
  const auto released = Clock::now();
  ASSERT_EQ(server_.command({"DEL", "a"}), "1");
  server_.command({"PUBLISH", "redisson_lock__channel:{a}", "0"});
  EXPECT_LT(entered.get().at - released, scaled(2s));
}

TEST_F(RedisPeers, GoOnFromOurTokensAndWeFromTheirs) {
  const std::string key = "redisson_lock_token:{a}";
  ASSERT_EQ(server_.command({"SET", key, "5000000000000000"}), "OK");
  const Client client = open_quietly(server_.url("?token_ttl=1m"));
  FencingToken token = Mutex(client, "a").acquire().value().token();
  EXPECT_EQ(token.value, 5000000000000001u);
  EXPECT_GE(std::stoull(server_.command({"GET", key})), token.value);
  EXPECT_EQ(server_.command({"PTTL", key}), "-1") << "Java would start again at 1";
  const auto theirs = std::stoull(server_.command({"INCR", key}));
  EXPECT_GT(theirs, token.value);
  token = Mutex(client, "a").acquire().value().token();
  EXPECT_GT(token.value, theirs);
}

// A replica that lacks the last tokens goes on from its clock, so blocks of tokens must
// not get ahead of the clock.
TEST_F(RedisPeers, TokensDoNotRunAwayFromTheClock) {
  const std::string key = "redisson_lock_token:{a}";
  const Client client = open_quietly(server_.url());
  { const auto hold = Mutex(client, "a").acquire().value(); }  // a script is loaded
  const auto ahead =
      server_.command({"EVAL",
                       "local t = redis.call('time') local ahead = "
                       "string.format('%.0f', t[1] * 1000000 + "
                       "t[2] + 900000) redis.call('set', KEYS[1], ahead) return ahead",
                       "1", key});
  const FencingToken token = Mutex(client, "a").acquire().value().token();
  EXPECT_EQ(token.value, std::stoull(ahead) + 1);
  EXPECT_EQ(server_.command({"GET", key}), std::to_string(token.value));
}

TEST_F(RedisPeers, OurTokenKeysExpireIfAskedTo) {
  (void)Mutex(open_quietly(server_.url()), "a").acquire().value();
  (void)Mutex(open_quietly(server_.url("?token_ttl=1m")), "b").acquire().value();
  EXPECT_EQ(server_.command({"PTTL", "redisson_lock_token:{a}"}), "-1");
  const long left = std::stol(server_.command({"PTTL", "redisson_lock_token:{b}"}));
  EXPECT_GT(left, 0);
  EXPECT_LE(left, 60'000);
}

TEST_F(RedisPeers, WithAPlainString) {
  Mutex mutex(open_quietly(server_.url("?layout=string")), "a");
  ASSERT_EQ(server_.command({"SET", "a", "peer", "NX", "PX", "30000"}), "OK");
  EXPECT_FALSE(mutex.try_lock());
  ASSERT_EQ(server_.command({"DEL", "a"}), "1");
  ASSERT_TRUE(mutex.try_lock());
  EXPECT_EQ(server_.command({"SET", "a", "peer", "NX", "PX", "30000"}), "nil");
  EXPECT_GT(std::stol(server_.command({"PTTL", "a"})), 0);
  mutex.unlock();
  EXPECT_EQ(left_behind(server_), "");
}

TEST_F(RedisPeers, WithAPlainStringDoNotRingAndAreSeenSoon) {
  Mutex mutex(open_quietly(server_.url("?layout=string")), "a");
  ASSERT_EQ(server_.command({"SET", "a", "peer", "NX", "PX", "30000"}), "OK");
  auto entered = wait_for(mutex);
  EXPECT_TRUE(still_waits(entered));
  const auto released = Clock::now();
  ASSERT_EQ(server_.command({"DEL", "a"}), "1");
  EXPECT_LT(entered.get().at - released, scaled(2s));
}

}  // namespace
}  // namespace holdfast::test

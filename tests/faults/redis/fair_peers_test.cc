// SPDX-License-Identifier: Apache-2.0

// FairMutex with waiters of Redisson in the same queue, played by scripts of our own
// that take the steps of RFairLock.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/redis/ground.h"
#include "holdfast/fair_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr const char* kPeerSteps = R"lua(
-- KEYS lock queue timeouts   ARGV what owner wait now
local lock, queue, timeouts = KEYS[1], KEYS[2], KEYS[3]
local what, owner, wait, now = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local call = redis.call
local function head() return call('lindex', queue, 0) end
local function time_of(who) return who and tonumber(call('zscore', timeouts, who) or nil) end
if what ~= 'leave' then
  while (time_of(head()) or now + 1) <= now do
    call('zrem', timeouts, head())
    call('lpop', queue)
  end
end
if what == 'attempt' then
  if call('exists', lock) == 0 and (not head() or head() == owner) then
    call('lpop', queue)
    call('zrem', timeouts, owner)
    for _, each in ipairs(call('zrange', timeouts, 0, -1)) do
      call('zincrby', timeouts, -wait, each)
    end
    call('hset', lock, owner, 1)
    call('pexpire', lock, 30000)
    return 'granted'
  end
  if not time_of(owner) then
    local ahead = time_of(call('lindex', queue, -1))
    ahead = ahead and ahead - now or call('pttl', lock)
    call('zadd', timeouts, ahead + wait + now, owner)
    call('rpush', queue, owner)
  end
  return 'waits'
elseif what == 'unlock' then
  call('del', lock)
  if head() then call('publish', 'redisson_lock__channel:{a}:' .. head(), '0') end
else
  local behind = false
  for _, each in ipairs(call('lrange', queue, 0, -1)) do
    if behind then call('zincrby', timeouts, -wait, each) end
    behind = behind or each == owner
  end
  call('zrem', timeouts, owner)
  call('lrem', queue, 0, owner)
end
return 'done'
)lua";

class RedisFairPeers : public testing::Test {
 protected:
  using Locks = std::vector<std::unique_ptr<ClaimLock>>;

  static constexpr milliseconds kWait = 5min;  // the default of both sides
  static constexpr milliseconds kLease = 30s;

  static milliseconds now() {
    return std::chrono::duration_cast<milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
  }
  static std::string peer(char which) {
    return std::string("6a9a3a0e-0e5b-4c0b-9a51-b3f3c1f0a001:4") + which;
  }

  std::string run(const char* what, char which) const {
    return server_.command({"EVAL", kPeerSteps, "3", "a", "redisson_lock_queue:{a}",
                            "redisson_lock_timeout:{a}", what, peer(which),
                            std::to_string(kWait.count()),
                            std::to_string(now().count())});
  }

  // Takes an entry of ours, which is granted if `free`.
  std::unique_ptr<ClaimLock> enter(bool free = false) {
    auto lock = std::make_unique<ClaimLock>(
        client_, engine::Address{engine::Kind::fair_mutex, "a"},
        engine::Claim{.lease = kLease});
    EXPECT_EQ(lock->begin(), free);
    return lock;
  }
  Locks enter_many(int number) {
    Locks all;
    for (int i = 0; i < number; ++i) all.push_back(enter());
    return all;
  }

  static void pass_on(ClaimLock& from, ClaimLock& to) {
    ASSERT_TRUE(from.release());
    ASSERT_TRUE(to.again());
  }

  // A thread of ours waits, and is woken when the peer releases the lock that it
  // `takes`.
  void expect_woken_by(
      char which, const std::function<void()>& takes = [] {}) {
    FairMutex mutex(client_, "a");
    const long ahead = queued();
    auto entered = std::async(std::launch::async, [&] {
      const auto hold = mutex.acquire({.wait = patience()});
      EXPECT_TRUE(hold) << hold.error().message();
      return Clock::now();
    });
    ASSERT_TRUE(eventually([&] { return queued() == ahead + 1; }));
    takes();
    const auto released = Clock::now();
    ASSERT_EQ(run("unlock", which), "done");
    EXPECT_LT(entered.get() - released, scaled(1s)) << "it looks again after 4 s";
  }

  std::string last() const {
    return server_.command({"LINDEX", "redisson_lock_queue:{a}", "-1"});
  }
  long queued() const {
    return std::stol(server_.command({"LLEN", "redisson_lock_queue:{a}"}));
  }
  // Until when the others wait for this owner, from now on.
  milliseconds waited_for(const std::string& owner) const {
    const auto time = server_.command({"ZSCORE", "redisson_lock_timeout:{a}", owner});
    return milliseconds(std::stoll(time)) - now();
  }

  // The position in the queue for which Redisson would give it this time.
  long position(const std::string& owner) const {
    return (waited_for(owner) - kLease + kWait / 2) / kWait;
  }

  // What a grant costs the server when one waiter of ours passes the lock to another.
  long commands_to_pass_on(ClaimLock& from, ClaimLock& to) const {
    EXPECT_EQ(server_.command({"CONFIG", "RESETSTAT"}), "OK");
    pass_on(from, to);
    return calls_in_scripts(server_);
  }

  RedisServer server_;
  const Client client_ = open_quietly(server_.url(), 30s);
};

TEST_F(RedisFairPeers, BehindOursMoveUpWithEachGrant) {
  const auto holder = enter(true);
  const auto ours = enter_many(3);
  ASSERT_EQ(run("attempt", '1'), "waits");
  ASSERT_EQ(run("attempt", '2'), "waits");
  EXPECT_EQ(position(peer('1')), 4);
  pass_on(*holder, *ours[0]);
  EXPECT_EQ(position(peer('1')), 3);
  EXPECT_EQ(position(peer('2')), 4);
  EXPECT_TRUE(ours[1]->release()) << "gives up";
  pass_on(*ours[0], *ours[2]);
  EXPECT_EQ(position(peer('1')), 1);
  EXPECT_EQ(position(peer('2')), 2);
  EXPECT_TRUE(ours[2]->release());
  EXPECT_EQ(run("attempt", '2'), "waits");
  EXPECT_EQ(run("attempt", '1'), "granted");
}

TEST_F(RedisFairPeers, BetweenOursMoveUpWithEachGrant) {
  const auto holder = enter(true);
  const auto first = enter();
  ASSERT_EQ(run("attempt", '1'), "waits");
  const auto behind = enter_many(3);
  pass_on(*holder, *first);
  EXPECT_EQ(position(peer('1')), 1);
  EXPECT_TRUE(behind[0]->release()) << "one that is behind gives up";
  EXPECT_EQ(position(peer('1')), 1);
  EXPECT_TRUE(first->release());
  EXPECT_FALSE(behind[1]->again());
  EXPECT_EQ(run("attempt", '1'), "granted");
  EXPECT_EQ(run("unlock", '1'), "done");
  EXPECT_FALSE(behind[2]->again());
  EXPECT_TRUE(behind[1]->again());
}

// Each grant of a peer subtracts from the times of all others, and a peer removes a
// head whose time is over.
TEST_F(RedisFairPeers, AheadOfOursDoNotPushThemOut) {
  const auto holder = enter(true);
  for (const char each : {'1', '2', '3'}) ASSERT_EQ(run("attempt", each), "waits");
  const auto ours = enter();
  ASSERT_EQ(run("attempt", '4'), "waits");
  EXPECT_TRUE(holder->release());
  for (const char each : {'1', '2', '3'}) {
    EXPECT_FALSE(ours->again());
    EXPECT_EQ(run("attempt", each), "granted");
    EXPECT_EQ(run("unlock", each), "done");
    EXPECT_EQ(run("attempt", '4'), "waits");
  }
  EXPECT_TRUE(ours->again());
  EXPECT_GT(waited_for(peer('4')), 0s);
}

// Nothing can be handed over to a peer.
TEST_F(RedisFairPeers, AtTheHeadAreWokenAndNotOvertaken) {
  const auto holder = enter(true);
  ASSERT_EQ(run("attempt", '1'), "waits");
  const auto ours = enter();
  RedisSocket subscriber(server_.port());
  subscriber.call({"SUBSCRIBE", "redisson_lock__channel:{a}:" + peer('1')});
  EXPECT_TRUE(holder->release());
  EXPECT_EQ(subscriber.read().items.at(2).number(), 0) << "UNLOCK";
  EXPECT_EQ(server_.command({"EXISTS", "a"}), "0");
  EXPECT_FALSE(ours->again());
  EXPECT_EQ(run("attempt", '1'), "granted");
}

// They publish a release to the head of the queue alone, on a channel of its own.
TEST_F(RedisFairPeers, ThatHoldWakeOursByTheirMessage) {
  ASSERT_EQ(run("attempt", '1'), "granted");
  expect_woken_by('1');
}

TEST_F(RedisFairPeers, ThatWaitedWakeOursByTheirMessage) {
  const auto holder = enter(true);
  ASSERT_EQ(run("attempt", '1'), "waits");
  expect_woken_by('1', [&] {
    ASSERT_TRUE(holder->release());
    ASSERT_EQ(run("attempt", '1'), "granted");
  });
}

TEST_F(RedisFairPeers, ThatComeLateFindTheTimeOfAQueueThatHasMoved) {
  const auto holder = enter(true);
  const auto ours = enter_many(10);
  pass_on(*holder, *ours[0]);
  for (std::size_t i = 1; i < 8; ++i) pass_on(*ours[i - 1], *ours[i]);
  ASSERT_EQ(run("attempt", '1'), "waits");
  EXPECT_EQ(position(peer('1')), 3);
}

// What a dead head of ours costs peers if no other client of ours is left.
TEST_F(RedisFairPeers, WaitForAHeadOfOursNoLongerThanForOneOfTheirs) {
  const auto holder = enter(true);
  const auto ours = enter_many(10);
  pass_on(*holder, *ours[0]);
  for (std::size_t i = 1; i < 8; ++i) pass_on(*ours[i - 1], *ours[i]);
  ASSERT_TRUE(ours[9]->release());
  const std::string head = last();
  EXPECT_FALSE(ours[8]->again());
  EXPECT_EQ(position(head), 1);
}

// The others hold it for so long that its time is nearly over; then it goes fast.
TEST_F(RedisFairPeers, DoNotRemoveALastWaiterThatHasWaitedForLong) {
  const auto holder = enter(true);
  const auto ours = enter_many(6);
  const std::string tail = last();
  ASSERT_EQ(server_.command({"ZADD", "redisson_lock_timeout:{a}",
                             std::to_string((now() + 1s).count()), tail}),
            "0");
  EXPECT_FALSE(ours[5]->again());
  pass_on(*holder, *ours[0]);
  for (std::size_t i = 1; i < 5; ++i) pass_on(*ours[i - 1], *ours[i]);
  EXPECT_GT(waited_for(tail), kWait / 2);
  ASSERT_EQ(run("attempt", '1'), "waits");
  EXPECT_EQ(queued(), 2);
}

TEST_F(RedisFairPeers, CostNothingAnyMoreWhenTheyHaveGone) {
  auto holder = enter(true);
  ASSERT_EQ(run("attempt", '1'), "waits");
  const auto ours = enter_many(40);
  ASSERT_EQ(run("leave", '1'), "done");
  pass_on(*holder, *ours[0]);
  const auto newcomer = enter();
  EXPECT_LT(commands_to_pass_on(*ours[0], *ours[1]), 30);
  EXPECT_TRUE(newcomer->release());
  pass_on(*ours[1], *ours[2]);
  EXPECT_LT(commands_to_pass_on(*ours[2], *ours[3]), 30) << "another is the last now";
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// How long two processes can hold one lock after a failover, with and without ?ack=,
// and what a fence makes of it. The window is printed: docs/engines/redis.md quotes it.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <list>

#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "holdfast/redis_fence.h"
#include "support/eventually.h"
#include "support/redis_sentinel.h"
#include "support/victim.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::duration_cast;

// What a process answered, and when.
struct Answered {
  std::string text;
  Clock::time_point at;
};

std::future<Answered> answer_of(Victim& victim, const std::string& command) {
  victim.tell(command);
  return std::async(std::launch::async, [&victim] {
    std::string text = victim.answer(2 * patience());
    return Answered{std::move(text), Clock::now()};
  });
}

class RedisFailoverWindow : public testing::Test {
 protected:
  // The fence is kept by a server of its own. Returns the reply to the write.
  std::string write(FencingToken token, const std::string& text) const {
    const auto fence = RedisFence::of("fence").value();
    return data_.command(fence.write(token, {"data"}, {"SET", "data", text}).value());
  }

  static FencingToken token_of(Victim& holder) {
    const std::string said = holder.ask("token");
    return FencingToken{std::stoull(said.substr(said.find(' ') + 1))};
  }

  static void print(const char* when, const std::string& window) {
    std::printf("two holders, %s: %s\n", when, window.c_str());
  }
  // A window below zero means that the first was told before the second got the lock.
  static void print(const char* when, const Answered& granted, const Answered& told) {
    const auto window = duration_cast<std::chrono::milliseconds>(told.at - granted.at);
    print(when, std::to_string(window.count()) + " ms");
  }

  // Kills the primary while `first`, with this ttl, holds a lock that no replica has
  // and `second` waits for it. Expects that a fence refuses the first.
  void lose_the_lock(Victim& first, Victim& second, std::chrono::milliseconds ttl,
                     const char* when) {
    group_.stop_replication(0);
    ASSERT_EQ(first.ask("lock a"), "ok");
    const FencingToken old = token_of(first);
    ASSERT_EQ(write(old, "old"), "OK");
    auto told = answer_of(first, "lost");
    auto granted = answer_of(second, "lock a");
    const auto killed = Clock::now();
    group_[0].kill();
    const Answered got = granted.get();
    ASSERT_EQ(got.text, "ok");
    ASSERT_EQ(write(token_of(second), "new"), "OK");
    EXPECT_FALSE(RedisFence::explain_error(write(old, "late")))
        << "it holds no more, and writes";
    EXPECT_EQ(data_.command({"GET", "data"}), "new");
    const Answered lost = told.get();
    ASSERT_EQ(lost.text, "ok");
    print(when, got, lost);
    EXPECT_LT(lost.at - killed, ttl + slack_) << "its clock does not tell it";
  }

  const std::chrono::milliseconds ttl_ = scaled(30s);   // A failover takes seconds.
  const std::chrono::milliseconds slack_ = scaled(1s);  // in which a thread is woken
  RedisSentinel group_;
  RedisServer data_;
};

TEST_F(RedisFailoverWindow, OfALockThatNoReplicaHad) {
  Victim first(group_.url(), ttl_);
  Victim second(group_.url(), ttl_);
  lose_the_lock(first, second, ttl_, "no replica had the lock");
}

// It is told by its own clock, at the end of the lease.
TEST_F(RedisFailoverWindow, OfAHolderThatDoesNotHearTheSentinels) {
  const auto ttl = scaled(4s);
  std::list<FaultProxy> lines;
  std::string hosts;
  std::string nat;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto port = group_.sentinel(i).port();
    const std::string line =
        "127.0.0.1:" + std::to_string(lines.emplace_back(port).port());
    hosts += (i == 0 ? "" : ",") + line;
    nat += (i == 0 ? "?nat=127.0.0.1:" : ",127.0.0.1:") + std::to_string(port) + "=" +
           line;
  }
  Victim first("redis+sentinel://" + hosts + "/" + RedisSentinel::kName + nat, ttl);
  Victim second(group_.url(), ttl_);
  for (FaultProxy& line : lines) line.unreachable(true);
  lose_the_lock(first, second, ttl, "nor does the first hear the sentinels");
}

// The primary dies right after it confirmed the lock. The replicas have it or not.
TEST_F(RedisFailoverWindow, OfALockThatWasJustConfirmed) {
  Victim first(group_.url(), ttl_);
  Victim second(group_.url(), ttl_);
  ASSERT_EQ(first.ask("lock a"), "ok");
  group_[0].kill();
  const std::size_t next = group_.expect_another_primary(0);
  const bool kept = group_[next].command({"EXISTS", "a"}) == "1";
  auto granted = answer_of(second, "lock a");
  if (!kept) {
    const auto told = answer_of(first, "lost").get();
    EXPECT_EQ(told.text, "ok");
    print("just confirmed, the replica lacks the lock", granted.get(), told);
    return;
  }
  EXPECT_EQ(granted.wait_for(scaled(500ms)), std::future_status::timeout);
  EXPECT_EQ(first.ask("valid"), "ok yes");
  EXPECT_EQ(first.ask("unlock"), "ok");
  EXPECT_EQ(granted.get().text, "ok");
  print("just confirmed, the replica has the lock", "never");
}

// The same, but a replica had to confirm the lock: it is still there, and is renewed.
TEST_F(RedisFailoverWindow, OfALockThatAReplicaConfirmed) {
  const std::string url = group_.url("?ack=majority");
  Victim first(url, ttl_);
  Victim second(url, ttl_);
  ASSERT_EQ(first.ask("lock a"), "ok");
  group_[0].kill();
  const std::size_t next = group_.expect_another_primary(0);
  EXPECT_EQ(group_[next].command({"EXISTS", "a"}), "1");
  auto granted = answer_of(second, "lock a");
  EXPECT_EQ(granted.wait_for(scaled(1s)), std::future_status::timeout)
      << "two hold the lock";
  EXPECT_EQ(first.ask("valid"), "ok yes");
  EXPECT_EQ(write(token_of(first), "first"), "OK");
  EXPECT_EQ(first.ask("unlock"), "ok");
  EXPECT_EQ(granted.get().text, "ok");
  print("with ack=majority", "never");
}

// The primary is cut off with its client, which cannot hear the sentinels either: every
// sentinel that it knows of stands still. Without ?ack= it would renew there for ever.
TEST_F(RedisFailoverWindow, OfAHolderThatIsCutOffWithThePrimary) {
  const auto ttl = scaled(10s);
  const Client first = open_quietly(group_.url("?ack=majority&ack_time=100ms"), ttl);
  const auto old = Mutex(first, "a").acquire({.wait = patience()});
  ASSERT_TRUE(old) << old.error().message();
  const auto has_it = [&] { return group_[1].command({"EXISTS", "a"}) == "1"; };
  ASSERT_TRUE(eventually(has_it)) << "another replica may have confirmed it";
  for (std::size_t i = 0; i < 3; ++i) group_.sentinel(i).pause();
  group_.cut_off(0);
  const auto start = Clock::now();
  // A replica that has the lock is promoted by hand, as the other side would do it.
  ASSERT_EQ(group_[1].command({"REPLICAOF", "NO", "ONE"}), "OK");
  ASSERT_TRUE(has_it());
  const Client second = open_quietly(group_[1].url(), ttl);
  const auto refused = Mutex(first, "b").acquire({.wait = Timeout::zero()});
  EXPECT_FALSE(refused) << "no replica can have confirmed it";
  const auto fresh = Mutex(second, "a").acquire({.wait = patience()});
  ASSERT_TRUE(fresh) << fresh.error().message();
  EXPECT_FALSE(old->valid()) << "two hold the lock";
  EXPECT_LT(Clock::now() - start, 2 * ttl);
  EXPECT_GT(fresh->token(), old->token());
}

}  // namespace
}  // namespace holdfast::test

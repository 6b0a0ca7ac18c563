// SPDX-License-Identifier: Apache-2.0

// How long two clients can hold one lock after a failover, with and without ?ack=, and
// what a fence makes of it. The window is printed: docs/engines/redis.md quotes it.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "faults/redis/ground.h"
#include "holdfast/mutex.h"
#include "holdfast/redis_fence.h"
#include "support/eventually.h"
#include "support/redis_sentinel.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::duration_cast;

class RedisFailoverWindow : public testing::Test {
 protected:
  Client open(const std::string& query) const {
    return open_quietly(group_.url(query), kTtl);
  }

  // The fence is kept by a server of its own. Returns the reply to the write.
  std::string write(const Hold& hold, const std::string& text) const {
    const auto fence = RedisFence::of("fence").value();
    return data_.command(
        fence.write(hold.token(), {"data"}, {"SET", "data", text}).value());
  }

  void print(const char* when, Clock::duration window) const {
    std::printf(
        "two holders, %s: %ld ms\n", when,
        static_cast<long>(duration_cast<std::chrono::milliseconds>(window).count()));
  }

  const std::chrono::milliseconds kTtl = scaled(10s);
  RedisSentinel group_;
  RedisServer data_;
};

// The primary dies before any replica has heard of the lock.
TEST_F(RedisFailoverWindow, OfALockThatNoReplicaHad) {
  const Client first = open("");
  const Client second = open("");
  group_.stop_replication(0);
  const auto old = Mutex(first, "a").acquire().value();
  ASSERT_EQ(write(old, "old"), "OK");
  group_[0].kill();
  const auto fresh = Mutex(second, "a").acquire({.wait = patience()});
  ASSERT_TRUE(fresh) << fresh.error().message();
  const auto start = Clock::now();
  ASSERT_EQ(write(*fresh, "new"), "OK");
  EXPECT_FALSE(RedisFence::judge(write(old, "late"))) << "it holds no more, and writes";
  EXPECT_EQ(data_.command({"GET", "data"}), "new");
  ASSERT_TRUE(eventually([&] { return old.lost().stop_requested(); }));
  print("the primary died", Clock::now() - start);
  EXPECT_LT(Clock::now() - start, kTtl) << "only its clock told it";
}

// The same, but a replica had to confirm the lock: it is still there.
TEST_F(RedisFailoverWindow, OfALockThatAReplicaHad) {
  const Client first = open("?ack=majority");
  const Client second = open("?ack=majority");
  auto hold = Mutex(first, "a").acquire({.wait = patience()});
  ASSERT_TRUE(hold) << hold.error().message();
  group_[0].kill();
  const std::size_t next = group_.expect_another_primary(0);
  EXPECT_EQ(group_[next].command({"EXISTS", "a"}), "1");
  Mutex mutex(second, "a");
  auto waiter = wait_for(mutex);
  EXPECT_TRUE(still_waits(waiter)) << "two hold the lock";
  EXPECT_TRUE(hold->valid());
  EXPECT_EQ(write(*hold, "first"), "OK");
  EXPECT_TRUE(hold->release());
  EXPECT_EQ(waiter.get().why_not, "");
}

// The primary is cut off with its client, which cannot hear the sentinels either: every
// sentinel that it knows of stands still. Without ?ack= it would renew there for ever.
TEST_F(RedisFailoverWindow, OfAHolderThatIsCutOffWithThePrimary) {
  const Client first = open("?ack=majority&ack_time=100ms");
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
  const Client second = open_quietly(group_[1].url(), kTtl);
  const auto refused = Mutex(first, "b").acquire({.wait = Timeout::zero()});
  EXPECT_FALSE(refused) << "no replica can have confirmed it";
  const auto fresh = Mutex(second, "a").acquire({.wait = patience()});
  ASSERT_TRUE(fresh) << fresh.error().message();
  EXPECT_FALSE(old->valid()) << "two hold the lock";
  EXPECT_LT(Clock::now() - start, 2 * kTtl);
  EXPECT_GT(fresh->token(), old->token());
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// What an operator does to the store: compaction, and a database that is full.

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/claim_lock.h"
#include "faults/etcd/ground.h"
#include "holdfast/counter.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

class EtcdCompaction : public OnEtcd {
 protected:
  // After this, the server cannot send earlier events.
  void compact() {
    shell_.put("elsewhere", "1");
    shell_.put("elsewhere", "2");
    shell_.compact();
  }
};

TEST_F(EtcdCompaction, UnderAWaiter) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  expect_wake_up(holder, waiter, [this] { compact(); });
}

// A watch that begins while other clients write may lag behind, and events that were
// not sent yet may be compacted. etcd 3.4, which serves such watches every 100 ms, then
// ends the watch.
TEST_F(EtcdCompaction, WhileWatchesBegin) {
  constexpr int kWaiters = 12;
  const Client client = open_directly();
  FairMutex holder(open_directly(), "a");
  const auto hold = holder.acquire().value();
  const auto end = Clock::now() + 3s;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([this, i, end] {
      Counter counter(open_directly(), "n" + std::to_string(i));
      while (Clock::now() < end) (void)counter.add(1);
    });
  }
  for (int i = 0; i < kWaiters; ++i) {
    threads.emplace_back([&client, end] {
      FairMutex waiter(client, "a");
      while (Clock::now() < end) {
        const auto in_vain = waiter.acquire({.wait = 120ms});
        ASSERT_FALSE(in_vain);
        EXPECT_EQ(in_vain.error().code, Errc::timed_out) << in_vain.error().message();
      }
    });
  }
  for (std::int64_t last = 0; Clock::now() < end;) {
    const std::int64_t now = shell_.revision();
    if (std::exchange(last, now) == now) continue;
    shell_.call("kv/compaction", R"({"revision":)" + std::to_string(now) + "}");
  }
}

TEST_F(EtcdCompaction, WhileTheWaiterWasCutOff) {
  Mutex holder(open_directly(), "a");
  Mutex waiter(open(), "a");
  holder.lock();
  auto entered = wait_for(waiter);
  ASSERT_TRUE(has_keys("a", 2));
  line_.unreachable(true);
  holder.unlock();
  compact();
  line_.unreachable(false);
  const auto back = Clock::now();
  const Entered in = entered.get();
  EXPECT_LT(in.at - back, scaled(5s)) << in.why_not;
}

TEST_F(EtcdCompaction, WhileAnObserverWasCutOff) {
  Election candidate(open_directly(), "a");
  Election observer(open(), "a");
  std::atomic<bool> seen{false};
  const auto listens = observer.observe([&](const std::optional<Leader>& leader) {
    if (leader && leader->payload == "ann") seen = true;
  });
  ASSERT_TRUE(listens) << listens.error().message();
  line_.unreachable(true);
  ASSERT_TRUE(candidate.campaign("ann", {.wait = patience()}));
  compact();
  line_.unreachable(false);
  EXPECT_TRUE(eventually([&] { return seen.load(); }));
}

// The database has a few pages, which the values of another client fill.
class EtcdFull : public OnEtcd {
 protected:
  EtcdFull() : OnEtcd({"--quota-backend-bytes", "1000000"}) {}

  void fill() {
    const std::string large(200'000, 'x');
    EXPECT_THROW(  // the server checks its size ten times a second
        for (int i = 0; i < 1000; ++i) shell_.put("large/" + std::to_string(i), large),
        std::runtime_error);
  }

  void make_room() {
    for (const EtcdKey& each : shell_.below("large/")) shell_.remove(each.key);
    shell_.compact();
    shell_.make_room();
  }
};

TEST_F(EtcdFull, RefusesALockInOneSentence) {
  const Client client = open();
  ASSERT_TRUE(Mutex(client, "a").try_lock());
  fill();
  const auto refused = Mutex(client, "b").acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::full) << refused.error().message();
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
}

TEST_F(EtcdFull, RefusesANewClientInOneSentence) {
  fill();
  const Failure failure = first_failure(server_.url());
  EXPECT_EQ(failure.code, Errc::full) << failure.message();
  EXPECT_TRUE(is_one_sentence(failure.message())) << failure.message();
}

TEST_F(EtcdFull, RefusesAChange) {
  Counter counter(open(), "n");
  ASSERT_TRUE(counter.add(1));
  fill();
  const auto refused = counter.add(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::full) << refused.error().message();
}

TEST_F(EtcdFull, KeepsAndReleasesWhatIsHeld) {
  const auto ttl = scaled(2s);
  Mutex mutex(open(ttl), "a");
  auto hold = mutex.acquire().value();
  fill();
  EXPECT_TRUE(throughout(2 * ttl, [&] { return hold.valid(); }));
  const auto released = hold.release();
  EXPECT_TRUE(released) << released.error().message();
  EXPECT_TRUE(has_keys("a", 0));
}

TEST_F(EtcdFull, RecoversWhenThereIsRoom) {
  const Client client = open();
  Mutex mutex(client, "a");
  fill();
  ASSERT_FALSE(mutex.acquire({.wait = Timeout::zero()}));
  make_room();
  const auto hold = mutex.acquire({.wait = Timeout::zero()});
  EXPECT_TRUE(hold) << hold.error().message();
}

// The key that Go uses has room for one claim of a session, so a claim that was refused
// must have given it back.
TEST_F(EtcdFull, ARefusedLockUsesItsKeyWhenThereIsRoom) {
  const Client client = open();
  Mutex held(client, "held");
  const auto hold = held.acquire().value();
  Mutex mutex(client, "a");
  fill();
  const auto refused = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::full) << refused.error().message();
  make_room();
  const auto later = mutex.acquire({.wait = Timeout::zero()});
  ASSERT_TRUE(later) << later.error().message();
  EXPECT_EQ(only_key("a").key, key_of_session("a", "held"));
}

// The drop needs room for the key that keeps the lost attempt from coming late.
TEST_F(EtcdFull, AClaimInDoubtIsDroppedWhenThereIsRoom) {
  const Client client = open();
  ASSERT_TRUE(Mutex(client, "b").try_lock());
  const auto mutex = client.session().bind({engine::Kind::mutex, "a"}).value();
  const engine::Claim claim{.ticket = next_ticket()};
  line_.lose_replies(1);
  const auto unknown = mutex->attempt(claim, nullptr, soon());
  ASSERT_FALSE(unknown);
  ASSERT_EQ(unknown.error().code, Errc::outcome_unknown) << unknown.error().message();
  fill();
  const auto refused = mutex->drop(claim, soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable) << "the core would forget it";
  EXPECT_TRUE(is_one_sentence(refused.error().message())) << refused.error().message();
  make_room();
  const auto dropped = mutex->drop(claim, soon());
  EXPECT_TRUE(dropped) << dropped.error().message();
  EXPECT_TRUE(has_keys("a", 0));
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Every asynchronous form does what its blocking form does.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "holdfast/barrier.h"
#include "holdfast/counter.h"
#include "holdfast/double_barrier.h"
#include "holdfast/election.h"
#include "holdfast/fair_mutex.h"
#include "holdfast/latch.h"
#include "holdfast/multi_lock.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/semaphore.h"
#include "holdfast/shared_count.h"
#include "holdfast/shared_mutex.h"
#include "support/awaited.h"
#include "support/eventually.h"
#include "testing/fake_engine.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::awaited;
using test::eventually;
using test::scaled;
using test::Sort;

class AsyncCallsTest : public testing::TestWithParam<Sort> {
 protected:
  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  Client client = test::join(world);
  Client rival = test::join(world);
};

INSTANTIATE_TEST_SUITE_P(Sorts, AsyncCallsTest,
                         testing::Values(Sort::leased_with_gate, Sort::leased,
                                         Sort::with_gate, Sort::plain));

TEST_P(AsyncCallsTest, ReadersShareAndAWriterWaits) {
  SharedMutex mutex(client, "a");
  auto reader = awaited<SharedHold>(
      [&](auto done) { mutex.acquire_shared_async({}, std::move(done)); });
  auto another = awaited<SharedHold>(
      [&](auto done) { mutex.acquire_shared_async({}, std::move(done)); });
  ASSERT_TRUE(reader);
  ASSERT_TRUE(another);
  std::atomic<bool> written{false};
  mutex.acquire_async({}, [&](Result<SharedHold> hold) {
    EXPECT_TRUE(hold && hold->exclusive());
    written = true;
  });
  EXPECT_TRUE(reader->release());
  EXPECT_FALSE(written);
  EXPECT_TRUE(another->release());
  EXPECT_TRUE(eventually([&] { return written.load(); }));
}

TEST_P(AsyncCallsTest, PermitsAreCounted) {
  Semaphore semaphore(client, "a", 3);
  auto two = awaited<Permits>(
      [&](auto done) { semaphore.acquire_many_async(2, {}, std::move(done)); });
  ASSERT_TRUE(two);
  EXPECT_EQ(two->count(), 2u);
  const auto none = awaited<Permits>([&](auto done) {
    semaphore.acquire_many_async(2, {.wait = 0s}, std::move(done));
  });
  EXPECT_EQ(none.error().code, Errc::timed_out);
  const auto zero = awaited<Permits>(
      [&](auto done) { semaphore.acquire_many_async(0, {}, std::move(done)); });
  EXPECT_EQ(zero.error().code, Errc::bad_argument);
}

TEST_P(AsyncCallsTest, ADowngradeLetsReadersInAndKeepsWritersOut) {
  SharedMutex mutex(client, "a");
  auto hold = mutex.acquire().value();
  const auto downgrade = [](SharedHold& of) {
    return awaited<void>([&](auto done) { of.downgrade_async(std::move(done)); });
  };
  EXPECT_TRUE(downgrade(hold));
  EXPECT_FALSE(hold.exclusive());
  EXPECT_TRUE(hold.valid());
  EXPECT_TRUE(downgrade(hold)) << "it is shared already";
  SharedMutex theirs(rival, "a");
  EXPECT_TRUE(theirs.acquire_shared({.wait = 0s}));
  EXPECT_EQ(theirs.acquire({.wait = 0s}).error(), Errc::timed_out);
  SharedHold empty;
  EXPECT_EQ(downgrade(empty).error(), Errc::not_held);
}

TEST_P(AsyncCallsTest, APartOfThePermitsIsGivenBack) {
  Semaphore semaphore(client, "a", 3);
  auto permits = semaphore.acquire_many(3).value();
  const auto release = [](Permits& of, std::uint32_t many) {
    return awaited<void>([&](auto done) { of.release_async(many, std::move(done)); });
  };
  EXPECT_TRUE(release(permits, 0));
  EXPECT_TRUE(release(permits, 2));
  EXPECT_EQ(permits.count(), 1u);
  EXPECT_EQ(release(permits, 2).error(), Errc::bad_argument);
  EXPECT_EQ(awaited<std::uint32_t>([&](auto done) {
              semaphore.available_async(std::move(done));
            }).value(),
            2u);
  EXPECT_TRUE(release(permits, 1));
  EXPECT_EQ(permits.count(), 0u);
  EXPECT_EQ(semaphore.available().value(), 3u);
  EXPECT_EQ(release(permits, 1).error(), Errc::not_held);
}

TEST_P(AsyncCallsTest, PermitsComeBackOnceThoughAReplyIsLost) {
  Semaphore semaphore(client, "a", 3);
  auto permits = semaphore.acquire_many(3).value();
  world->faults.lose_replies = 1;
  EXPECT_TRUE(
      awaited<void>([&](auto done) { permits.release_async(2, std::move(done)); }));
  EXPECT_EQ(permits.count(), 1u);
  EXPECT_EQ(semaphore.available().value(), 2u);
}

TEST_P(AsyncCallsTest, TheCapacityIsSetAndRead) {
  Semaphore semaphore(client, "a");
  const auto init = [&](std::uint32_t permits) {
    return awaited<bool>(
        [&](auto done) { semaphore.init_permits_async(permits, std::move(done)); });
  };
  const auto capacity = [&] {
    return awaited<std::uint32_t>(
               [&](auto done) { semaphore.permits_async(std::move(done)); })
        .value();
  };
  EXPECT_EQ(capacity(), 0u);
  EXPECT_TRUE(init(2).value());
  EXPECT_FALSE(init(2).value());
  EXPECT_EQ(init(5).error(), Errc::bad_argument);
  EXPECT_TRUE(awaited<void>(
      [&](auto done) { semaphore.set_permits_async(5, std::move(done)); }));
  EXPECT_EQ(capacity(), 5u);
}

TEST_P(AsyncCallsTest, ALeaderProclaims) {
  Election election(client, "a");
  const auto proclaim = [&](std::string payload) {
    return awaited<void>(
        [&](auto done) { election.proclaim_async(payload, std::move(done)); });
  };
  EXPECT_EQ(proclaim("none").error(), Errc::not_held);
  ASSERT_TRUE(election.campaign("one"));
  EXPECT_TRUE(proclaim("two"));
  EXPECT_EQ(election.leader().value()->payload, "two");
}

TEST_P(AsyncCallsTest, ASubscriptionTellsOfChanges) {
  SharedCount count(client, "a", 1);
  std::atomic<std::int64_t> told{-1};
  auto news = awaited<Subscription>([&](auto done) {
    count.on_change_async([&](const Versioned& now) { told = now.number; }, {},
                          std::move(done));
  });
  ASSERT_TRUE(news);
  ASSERT_TRUE(SharedCount(rival, "a").set(7));
  EXPECT_TRUE(eventually([&] { return told == 7; }));
  news->cancel();
  SharedCount unnamed(client, "");
  EXPECT_EQ(awaited<Subscription>([&](auto done) {
              unnamed.on_change_async([](const Versioned&) {}, {}, std::move(done));
            }).error(),
            Errc::bad_name);
}

TEST_P(AsyncCallsTest, ACandidateLeadsAndResigns) {
  Election election(client, "a");
  const auto campaign = [&](Election& candidate, const WaitOptions& options) {
    return awaited<void>([&](auto done) {
      const std::string payload = "host one";  // is gone before the call is done
      candidate.campaign_async(payload, options, std::move(done));
    });
  };
  ASSERT_TRUE(campaign(election, {}));
  EXPECT_TRUE(election.is_leader());
  EXPECT_EQ(campaign(election, {}).error().code, Errc::bad_argument);
  const auto leader = awaited<std::optional<Leader>>(
      [&](auto done) { election.leader_async(std::move(done)); });
  ASSERT_TRUE(leader && *leader);
  EXPECT_EQ((*leader)->payload, "host one");
  EXPECT_TRUE(
      awaited<void>([&](auto done) { election.resign_async(std::move(done)); }));
  EXPECT_FALSE(election.is_leader());
  EXPECT_EQ(awaited<void>([&](auto done) { election.resign_async(std::move(done)); })
                .error()
                .code,
            Errc::not_held);
}

TEST_P(AsyncCallsTest, ACandidateThatIsGoneDoesNotLead) {
  Election theirs(rival, "a");
  ASSERT_TRUE(theirs.campaign());
  std::atomic<bool> told{false};
  {
    Election ours(client, "a");
    ours.campaign_async("x", {}, [&](Result<void>) { told = true; });
  }
  EXPECT_TRUE(theirs.resign());
  EXPECT_TRUE(eventually([&] { return told.load(); }));
  EXPECT_TRUE(eventually([&] { return !theirs.leader().value(); }));
}

TEST_P(AsyncCallsTest, ACandidateThatIsGoneDoesNotLeadThroughItsObserver) {
  Election theirs(rival, "a");
  ASSERT_TRUE(theirs.campaign());
  std::atomic<int> told{0};
  std::optional<Subscription> observer;
  {
    Election ours(client, "a");
    observer = ours.observe([](const std::optional<Leader>&) {}).value();
    ours.campaign_async("x", {}, [&](Result<void>) { ++told; });
    ours.campaign_async("y", {}, [&](Result<void>) { ++told; });
  }
  EXPECT_TRUE(theirs.resign());
  EXPECT_TRUE(eventually([&] { return told == 2; }));
  EXPECT_TRUE(eventually([&] { return !theirs.leader().value(); }));
}

TEST_P(AsyncCallsTest, ALatchIsSetCountedDownAndAwaited) {
  Latch latch(client, "a");
  EXPECT_TRUE(awaited<bool>([&](auto done) {
                latch.set_count_async(2, std::move(done));
              }).value());
  EXPECT_EQ(awaited<bool>([&](auto done) { latch.set_count_async(0, std::move(done)); })
                .error()
                .code,
            Errc::bad_argument);
  const auto still = awaited<void>(
      [&](auto done) { latch.wait_async({.wait = scaled(20ms)}, std::move(done)); });
  EXPECT_EQ(still.error().code, Errc::timed_out);
  EXPECT_EQ(still.error().message(), "latch \"a\" still counts 2");
  std::atomic<bool> open{false};
  latch.wait_async({}, [&](Result<void> result) { open = result.has_value(); });
  EXPECT_EQ(awaited<std::int64_t>([&](auto done) {
              latch.count_down_async(1, std::move(done));
            }).value(),
            1);
  EXPECT_FALSE(open);
  EXPECT_EQ(latch.count_down().value(), 0);
  EXPECT_TRUE(eventually([&] { return open.load(); }));
  EXPECT_EQ(awaited<std::int64_t>([&](auto done) {
              latch.count_async(std::move(done));
            }).value(),
            0);
}

TEST_P(AsyncCallsTest, ABarrierIsSetAwaitedAndRemoved) {
  Barrier barrier(client, "a");
  EXPECT_TRUE(
      awaited<bool>([&](auto done) { barrier.set_async(std::move(done)); }).value());
  EXPECT_TRUE(
      awaited<bool>([&](auto done) { barrier.is_set_async(std::move(done)); }).value());
  std::atomic<bool> gone{false};
  barrier.wait_async({}, [&](Result<void> result) { gone = result.has_value(); });
  EXPECT_TRUE(
      awaited<bool>([&](auto done) { barrier.remove_async(std::move(done)); }).value());
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
}

TEST_P(AsyncCallsTest, PartiesEnterAndLeaveTogether) {
  DoubleBarrier ours(client, "a", 2);
  DoubleBarrier theirs(rival, "a", 2);
  std::atomic<int> in{0};
  std::atomic<int> out{0};
  const auto count = [](std::atomic<int>& of) {
    return [&of](Result<void> result) {
      EXPECT_TRUE(result);
      ++of;
    };
  };
  EXPECT_EQ(awaited<void>([&](auto done) {
              ours.enter_async({.wait = scaled(10ms)}, std::move(done));
            })
                .error()
                .message(),
            "double barrier \"a\": not all parties have come");
  ours.enter_async({}, count(in));
  theirs.enter_async({}, count(in));
  ASSERT_TRUE(eventually([&] { return in == 2; }));
  ours.leave_async({}, count(out));
  EXPECT_EQ(out, 0);
  theirs.leave_async({}, count(out));
  EXPECT_TRUE(eventually([&] { return out == 2; }));
  EXPECT_EQ(
      awaited<void>([&](auto done) { ours.leave_async({}, std::move(done)); }).error(),
      Errc::not_held);
}

TEST_P(AsyncCallsTest, ACounterCounts) {
  Counter counter(client, "a");
  const auto change = [](auto start) { return awaited<Change>(start).value(); };
  EXPECT_EQ(change([&](auto done) { counter.add_async(5, std::move(done)); }).after, 5);
  EXPECT_EQ(change([&](auto done) { counter.decrement_async(std::move(done)); }).after,
            4);
  EXPECT_FALSE(change([&](auto done) {
                 counter.compare_exchange_async(9, 1, std::move(done));
               }).done);
  EXPECT_TRUE(change([&](auto done) {
                counter.compare_exchange_async(4, 7, std::move(done));
              }).done);
  EXPECT_EQ(
      change([&](auto done) { counter.exchange_async(8, std::move(done)); }).before, 7);
  EXPECT_EQ(change([&](auto done) {
              counter.update_async([](std::int64_t now) { return now * 2; }, {},
                                   std::move(done));
            }).after,
            16);
  EXPECT_EQ(awaited<std::int64_t>([&](auto done) {
              counter.get_async(std::move(done));
            }).value(),
            16);
  EXPECT_EQ(awaited<Change>([&](auto done) {
              counter.subtract_async(std::numeric_limits<std::int64_t>::min(),
                                     std::move(done));
            }).error(),
            Errc::bad_argument);
}

TEST_P(AsyncCallsTest, AChangeIsMadeOnceThoughRepliesAreLost) {
  Counter counter(client, "a");
  world->faults.lose_replies = 2;
  EXPECT_EQ(
      awaited<Change>([&](auto done) { counter.increment_async(std::move(done)); })
          .value()
          .after,
      1);
  EXPECT_EQ(counter.get().value(), 1);
}

TEST_P(AsyncCallsTest, ASharedCountIsSet) {
  SharedCount count(client, "a", 100);
  const auto seen =
      awaited<Versioned>([&](auto done) { count.get_async(std::move(done)); }).value();
  EXPECT_EQ(seen, (Versioned{100, 0}));
  EXPECT_TRUE(awaited<SharedCount::Set>([&](auto done) {
                count.compare_exchange_async(seen, 5, std::move(done));
              })
                  .value()
                  .done);
  EXPECT_EQ(awaited<Versioned>([&](auto done) { count.set_async(6, std::move(done)); })
                .value()
                .number,
            6);
}

TEST_P(AsyncCallsTest, SeveralLocksAreTakenAllOrNone) {
  MultiLock both({{client, "a"}, {rival, "b"}});
  MultiLock reversed({{rival, "b"}, {client, "a"}});
  auto holds =
      awaited<MultiHold>([&](auto done) { both.acquire_async({}, std::move(done)); });
  ASSERT_TRUE(holds);
  EXPECT_EQ(holds->holds().size(), 2u);
  EXPECT_EQ(awaited<MultiHold>([&](auto done) {
              reversed.acquire_async({.wait = scaled(30ms)}, std::move(done));
            }).error(),
            Errc::timed_out);
  std::atomic<bool> taken{false};
  reversed.acquire_async({}, [&](Result<MultiHold> got) { taken = got.has_value(); });
  EXPECT_TRUE(awaited<void>([&](auto done) { holds->release_async(std::move(done)); }));
  EXPECT_TRUE(eventually([&] { return taken.load(); }));
  EXPECT_TRUE(eventually(
      [&] { return test::places(world, "a") + test::places(world, "b") == 0; }));
}

TEST_P(AsyncCallsTest, AMultiLockWithoutPartsTellsSo) {
  MultiLock none(std::vector<MultiLock::Part>{});
  EXPECT_EQ(awaited<MultiHold>([&](auto done) {
              none.acquire_async({}, std::move(done));
            }).error(),
            Errc::bad_argument);
}

TEST_P(AsyncCallsTest, AnOwnerEntersAgainAndOthersWait) {
  RecursiveMutex mutex(client, "a");
  const RecursiveMutex::Owner owner;
  const RecursiveMutex::Owner other;
  const auto enter = [&](const RecursiveMutex::Owner& as, Timeout wait) {
    return awaited<void>(
        [&](auto done) { mutex.acquire_async(as, {.wait = wait}, std::move(done)); });
  };
  const auto leave = [&](const RecursiveMutex::Owner& as) {
    return awaited<void>([&](auto done) { mutex.release_async(as, std::move(done)); });
  };
  ASSERT_TRUE(enter(owner, Timeout::forever()));
  ASSERT_TRUE(enter(owner, Timeout::forever()));
  EXPECT_EQ(mutex.depth(owner), 2u);
  EXPECT_TRUE(mutex.token(owner));
  EXPECT_FALSE(mutex.lost(owner).stop_requested());
  EXPECT_EQ(mutex.depth(), 0u);
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_EQ(enter(other, 0s).error(), Errc::timed_out);
  EXPECT_EQ(leave(other).error(), Errc::not_owner);
  EXPECT_TRUE(leave(owner));
  EXPECT_TRUE(leave(owner));
  EXPECT_TRUE(enter(other, Timeout::forever()));
  EXPECT_TRUE(leave(other));
}

TEST_P(AsyncCallsTest, AFairMutexServesThemInOrder) {
  FairMutex mutex(client, "a");
  mutex.lock();
  base::Mutex guard;
  std::vector<int> order;
  for (int i = 0; i < 20; ++i) {
    mutex.acquire_async([&, i](Result<Hold> hold) {
      EXPECT_TRUE(hold);
      base::MutexLock lock(guard);
      order.push_back(i);
    });
    if (GetParam() == Sort::leased_with_gate || GetParam() == Sort::with_gate) continue;
    // Without a gate the order is that of the engine's queue, where workers ask.
    ASSERT_TRUE(eventually([&] {
      return world->server.survey({engine::Kind::fair_mutex, "a"}, 100)
                 .value()
                 .size() == static_cast<std::size_t>(i) + 2;
    }));
  }
  mutex.unlock();
  ASSERT_TRUE(eventually([&] {
    base::MutexLock lock(guard);
    return order.size() == 20;
  }));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// Waiters are cancelled and time out at random moments while others are granted.
TEST_P(AsyncCallsTest, AStormOfCancellationsLeavesNothingBehind) {
  constexpr int kWaiters = 400;
  Mutex mutex(client, "a");
  Mutex theirs(rival, "a");
  std::vector<std::stop_source> stops(kWaiters);
  std::atomic<int> inside{0};
  std::atomic<int> done{0};
  std::mt19937 random(5);
  for (int i = 0; i < kWaiters; ++i) {
    Mutex& which = i % 4 == 0 ? theirs : mutex;
    const auto wait = i % 3 == 0 ? Timeout(std::chrono::microseconds(random() % 20'000))
                                 : Timeout::forever();
    which.acquire_async(
        {.wait = wait, .stop = stops[static_cast<std::size_t>(i)].get_token()},
        [&](Result<Hold> hold) {
          if (hold) {
            EXPECT_EQ(inside.fetch_add(1), 0);
            inside.fetch_sub(1);
          } else {
            EXPECT_TRUE(hold.error() == Errc::cancelled ||
                        hold.error() == Errc::timed_out)
                << hold.error().message();
          }
          if (hold) {
            EXPECT_TRUE(hold->release());
          }
          ++done;
        });
    if (random() % 2 == 0) stops[random() % kWaiters].request_stop();
  }
  EXPECT_TRUE(eventually([&] { return done == kWaiters; }));
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
}

class AsyncExecutorTest : public testing::Test {
 protected:
  Client join(Executor executor) {
    ClientOptions options;
    options.log = [](LogLevel, std::string_view) {};
    options.executor = std::move(executor);
    return Client::over(std::make_unique<test::FakeEngine>(world), options).value();
  }
  // Keeps the work until the test runs it.
  Executor later() {
    return [this](std::function<void()> work) {
      base::MutexLock lock(guard);
      posted.push_back(std::move(work));
    };
  }
  std::size_t waiting() {
    base::MutexLock lock(guard);
    return posted.size();
  }
  void forget() {
    std::vector<std::function<void()>> forgotten;
    base::MutexLock lock(guard);
    forgotten.swap(posted);
    lock.unlock();
    forgotten.clear();
    lock.lock();
  }

  const std::shared_ptr<test::FakeWorld> world =
      test::make_world(Sort::leased_with_gate);
  base::Mutex guard;
  std::vector<std::function<void()>> posted;
};

TEST_F(AsyncExecutorTest, CompletionsRunWhereItSays) {
  Mutex mutex(join(later()), "a");
  std::optional<std::thread::id> on;
  mutex.acquire_async([&](Result<Hold> hold) {
    EXPECT_TRUE(hold);
    on = std::this_thread::get_id();
  });
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  EXPECT_FALSE(on);
  posted.front()();
  EXPECT_EQ(on, std::this_thread::get_id());
}

// An executor that forgets its work, as one that has been stopped does. Each test
// closes its client at the end, because releases are under way then.
TEST_F(AsyncExecutorTest, AHoldIsReleasedWhenTheExecutorForgetsIt) {
  Client client = join(later());
  Mutex mutex(client, "a");
  auto seen = std::make_shared<int>(0);
  mutex.acquire_async([seen](Result<Hold>) { ++*seen; });
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  EXPECT_EQ(test::places(world, "a"), 1u);
  forget();
  EXPECT_EQ(*seen, 0);
  EXPECT_EQ(seen.use_count(), 1);
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
  client.close();
}

TEST_F(AsyncExecutorTest, ALevelIsLeftWhenTheExecutorForgetsIt) {
  Client client = join(later());
  RecursiveMutex mutex(client, "a");
  const RecursiveMutex::Owner owner;
  mutex.acquire_async(owner, {}, [](Result<void>) {});
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  posted.front()();
  mutex.acquire_async(owner, {}, [](Result<void>) {});
  ASSERT_TRUE(eventually([&] { return waiting() == 2; }));
  EXPECT_EQ(mutex.depth(owner), 2u);
  forget();
  EXPECT_TRUE(eventually([&] { return mutex.depth(owner) == 1; }));
  EXPECT_EQ(test::places(world, "a"), 1u);
  client.close();
}

TEST_F(AsyncExecutorTest, ALockIsFreeWhenTheExecutorForgetsThatItsOwnerCameIn) {
  Client client = join(later());
  {
    RecursiveMutex mutex(client, "a");
    mutex.acquire_async(RecursiveMutex::Owner(), {}, [](Result<void>) {});
    ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  }
  EXPECT_EQ(test::places(world, "a"), 1u);
  forget();
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
  client.close();
}

TEST_F(AsyncExecutorTest, ALeadershipEndsWhenTheExecutorForgetsIt) {
  Client client = join(later());
  Election election(client, "a");
  election.campaign_async("x", {}, [](Result<void>) {});
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  forget();
  EXPECT_FALSE(election.is_leader());
  Election theirs(test::join(world), "a");
  EXPECT_TRUE(theirs.campaign({}, {.wait = scaled(20s)}));
  client.close();
}

TEST_F(AsyncExecutorTest, APartyIsOutWhenTheExecutorForgetsThatItCameIn) {
  Client client = join(later());
  DoubleBarrier barrier(client, "a", 1);
  barrier.enter_async({}, [](Result<void>) {});
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  forget();
  EXPECT_TRUE(eventually([&] { return barrier.enter().has_value(); }));
  client.close();
}

TEST_F(AsyncExecutorTest, ClosingHandsEveryCompletionToTheExecutor) {
  Mutex theirs(test::join(world), "a");
  const auto held = theirs.acquire();
  Client client = join(later());
  Mutex mutex(client, "a");
  std::vector<std::error_code> codes;
  for (int i = 0; i < 3; ++i) {
    mutex.acquire_async([&](Result<Hold> hold) { codes.push_back(hold.error().code); });
  }
  client.close();
  EXPECT_EQ(waiting(), 3u);
  for (auto& each : posted) each();
  EXPECT_EQ(codes, std::vector<std::error_code>(3, Errc::closed));
}

TEST_F(AsyncExecutorTest, WhatACompletionThrowsIsTheExecutorsToHandle) {
  Mutex mutex(join(later()), "a");
  mutex.acquire_async([](Result<Hold>) { throw std::runtime_error("as planned"); });
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  EXPECT_THROW(posted.front()(), std::runtime_error);
}

TEST(AsyncDeathTest, ACompletionThatThrowsOnTheRunnerEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const auto world = test::make_world(Sort::plain);
        Mutex mutex(test::join(world), "a");
        mutex.acquire_async([](Result<Hold>) { throw std::runtime_error("oh no"); });
        std::this_thread::sleep_for(scaled(10s));
      },
      "completion.*threw.*oh no");
}

TEST(CompletionTest, HoldsWhatFitsAndWhatDoesNot) {
  struct Big {
    std::array<int, 100> numbers{};
    std::shared_ptr<int> count;
    void operator()(Result<int> result) { *count += *result; }
  };
  const auto count = std::make_shared<int>(0);
  Completion<int> small([count](Result<int> result) { *count += *result; });
  Completion<int> big(Big{{}, count});
  Completion<int> moved = std::move(small);
  EXPECT_FALSE(small);  // NOLINT(bugprone-use-after-move): that it is empty then
  ASSERT_TRUE(moved);
  moved(1);
  EXPECT_FALSE(moved);
  small = std::move(big);
  small(10);
  EXPECT_EQ(*count, 11);
  Completion<int> never(Big{{}, count});
  EXPECT_EQ(count.use_count(), 2);
  never = Completion<int>();
  EXPECT_EQ(count.use_count(), 1);
}

}  // namespace
}  // namespace holdfast

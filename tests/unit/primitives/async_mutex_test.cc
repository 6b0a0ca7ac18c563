// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "core/lease_call.h"
#include "holdfast/completion.h"
#include "holdfast/mutex.h"
#include "support/eventually.h"
#include "testing/fake_engine.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::scaled;
using test::Sort;

// What a completion was called with.
struct Told {
  Completion<Hold> note() {
    return [this](Result<Hold> result) {
      on = std::this_thread::get_id();
      outcome.emplace(std::move(result));
      ++calls;
    };
  }
  bool come() const {
    return eventually([this] { return calls == 1; });
  }
  Errc code() const {
    if (!come()) return Errc::internal;
    return outcome->has_value() ? Errc{}
                                : static_cast<Errc>(outcome->error().code.value());
  }

  std::optional<Result<Hold>> outcome;
  std::thread::id on;
  std::atomic<int> calls{0};
};

// A waiter of a name that is held costs no more than this, with the counters of the
// shared_ptr. What it waits with at the engine is made when it has the turn.
constexpr std::size_t kCounters = 16;
using Waiter = core::Call<Hold, core::LeaseCall<Hold, core::WrapHold<Hold>>>;
static_assert(sizeof(Waiter) + kCounters <= 400);

class AsyncMutexTest : public testing::TestWithParam<Sort> {
 protected:
  std::size_t claims() const { return test::places(world, "a"); }

  const std::shared_ptr<test::FakeWorld> world = test::make_world(GetParam());
  Client client = test::join(world);
  Client rival = test::join(world);
  std::optional<Mutex> mutex{std::in_place, client, "a"};
  Mutex theirs{rival, "a"};
};

INSTANTIATE_TEST_SUITE_P(Sorts, AsyncMutexTest,
                         testing::Values(Sort::leased_with_gate, Sort::leased,
                                         Sort::with_gate, Sort::plain));

TEST_P(AsyncMutexTest, AFreeLockIsGranted) {
  Told told;
  mutex->acquire_async(told.note());
  ASSERT_TRUE(told.come());
  ASSERT_TRUE(*told.outcome);
  EXPECT_TRUE((*told.outcome)->valid());
  EXPECT_TRUE((*told.outcome)->token());
  EXPECT_NE(told.on, std::this_thread::get_id());
  EXPECT_EQ(claims(), 1u);
  EXPECT_TRUE((*told.outcome)->release());
  EXPECT_EQ(claims(), 0u);
}

TEST_P(AsyncMutexTest, CompletionsOfAClientRunOnOneThread) {
  Told first;
  Told second;
  mutex->acquire_async(first.note());
  ASSERT_TRUE(first.come());
  first.outcome.reset();
  mutex->acquire_async(second.note());
  ASSERT_TRUE(second.come());
  EXPECT_EQ(first.on, second.on);
}

TEST_P(AsyncMutexTest, WaitsForAnotherClient) {
  auto held = theirs.acquire();
  Told told;
  mutex->acquire_async(told.note());
  ASSERT_TRUE(eventually([&] { return claims() == 2; }));
  EXPECT_EQ(told.calls, 0);
  EXPECT_TRUE(held->release());
  ASSERT_TRUE(told.come());
  EXPECT_TRUE(*told.outcome);
}

TEST_P(AsyncMutexTest, WaitsForAThreadOfItsOwnClient) {
  mutex->lock();
  Told told;
  mutex->acquire_async(told.note());
  std::this_thread::yield();
  EXPECT_EQ(told.calls, 0);
  mutex->unlock();
  ASSERT_TRUE(told.come());
  EXPECT_TRUE(*told.outcome);
}

TEST_P(AsyncMutexTest, AThreadWaitsForIt) {
  Told told;
  mutex->acquire_async(told.note());
  ASSERT_TRUE(told.come());
  EXPECT_FALSE(mutex->try_lock());
  auto waiting = std::async(std::launch::async, [&] { mutex->lock(); });
  told.outcome.reset();  // releases
  waiting.get();
  mutex->unlock();
}

TEST_P(AsyncMutexTest, ManyWaitersGetItOneAfterTheOther) {
  constexpr int kWaiters = 200;
  std::atomic<int> inside{0};
  std::atomic<int> done{0};
  for (int i = 0; i < kWaiters; ++i) {
    mutex->acquire_async([&](Result<Hold> hold) {
      EXPECT_TRUE(hold);
      EXPECT_EQ(inside.fetch_add(1), 0);
      inside.fetch_sub(1);
      if (hold) {
        EXPECT_TRUE(hold->release());
      }
      ++done;
    });
  }
  EXPECT_TRUE(eventually([&] { return done == kWaiters; }));
  EXPECT_EQ(claims(), 0u);
}

TEST_P(AsyncMutexTest, ATryTellsThatItIsHeld) {
  const auto held = theirs.acquire();
  Told told;
  mutex->acquire_async({.wait = 0s}, told.note());
  EXPECT_EQ(told.code(), Errc::timed_out);
  EXPECT_EQ(claims(), 1u);
}

TEST_P(AsyncMutexTest, TimesOutAndLeavesNothingBehind) {
  const auto held = theirs.acquire();
  Told first;
  Told second;
  mutex->acquire_async({.wait = scaled(50ms)}, first.note());
  mutex->acquire_async({.wait = scaled(60ms)}, second.note());
  EXPECT_EQ(first.code(), Errc::timed_out);
  EXPECT_EQ(second.code(), Errc::timed_out);
  EXPECT_NE(first.outcome->error().message().find("\"a\""), std::string::npos);
  EXPECT_EQ(claims(), 1u);
}

TEST_P(AsyncMutexTest, IsCancelledAndLeavesNothingBehind) {
  const auto held = theirs.acquire();
  std::stop_source stop;
  std::vector<Told> told(3);
  for (Told& each : told) mutex->acquire_async({.stop = stop.get_token()}, each.note());
  ASSERT_TRUE(eventually([&] { return claims() >= 2; }));
  stop.request_stop();
  for (Told& each : told) EXPECT_EQ(each.code(), Errc::cancelled);
  EXPECT_EQ(claims(), 1u);
}

TEST_P(AsyncMutexTest, ACallThatWasCancelledBeforeDoesNotAsk) {
  std::stop_source stop;
  stop.request_stop();
  Told told;
  mutex->acquire_async({.stop = stop.get_token()}, told.note());
  EXPECT_EQ(told.code(), Errc::cancelled);
  EXPECT_EQ(world->calls.attempt, 0);
}

TEST_P(AsyncMutexTest, NeedsNeitherTheMutexNorTheClient) {
  auto held = theirs.acquire();
  Told told;
  mutex->acquire_async(told.note());
  mutex.reset();
  client = rival;  // the call has the last reference
  EXPECT_TRUE(held->release());
  ASSERT_TRUE(told.come());
  ASSERT_TRUE(*told.outcome);
  EXPECT_TRUE((*told.outcome)->valid());
  told.outcome.reset();
  EXPECT_EQ(claims(), 0u);
}

TEST_P(AsyncMutexTest, ALastClientMayEndInACompletion) {
  auto held = theirs.acquire();
  Told told;
  mutex->acquire_async({.wait = scaled(30ms)}, told.note());
  mutex.reset();
  client = rival;
  EXPECT_EQ(told.code(), Errc::timed_out);
}

TEST_P(AsyncMutexTest, ClosingCompletesEveryCall) {
  const auto held = theirs.acquire();
  std::vector<Told> told(5);
  for (Told& each : told) mutex->acquire_async(each.note());
  ASSERT_TRUE(eventually([&] { return claims() >= 2; }));
  client.close();
  for (Told& each : told) {
    EXPECT_EQ(each.calls, 1);  // before `close` returns
    EXPECT_EQ(each.code(), Errc::closed);
  }
  EXPECT_EQ(claims(), 1u);
}

TEST_P(AsyncMutexTest, ACallOfAClosedClientIsCompletedToo) {
  client.close();
  Told told;
  mutex->acquire_async(told.note());
  EXPECT_EQ(told.code(), Errc::closed);
  EXPECT_NE(told.on, std::this_thread::get_id());
}

TEST_P(AsyncMutexTest, ACompletionMayCloseItsClient) {
  Told last;
  Told first;
  mutex->acquire_async([&](Result<Hold> hold) {
    EXPECT_TRUE(hold);
    mutex->acquire_async(last.note());
    client.close();
    EXPECT_FALSE(hold->valid());
    first.note()(std::move(hold));
  });
  ASSERT_TRUE(first.come());
  EXPECT_EQ(last.code(), Errc::closed);
  EXPECT_EQ(claims(), 0u);
}

TEST_P(AsyncMutexTest, ACompletionMayAcquire) {
  Told told;
  mutex->acquire_async([&](Result<Hold> hold) {
    ASSERT_TRUE(hold);
    mutex->acquire_async(told.note());
    EXPECT_EQ(told.calls, 0);
  });
  EXPECT_EQ(told.code(), Errc{});
}

TEST_P(AsyncMutexTest, ABadNameIsToldByTheCompletion) {
  Mutex bad(client, "");
  Told told;
  bad.acquire_async(told.note());
  EXPECT_EQ(told.code(), Errc::bad_name);
  EXPECT_NE(told.on, std::this_thread::get_id());
}

TEST_P(AsyncMutexTest, AnUnansweredCallIsRepeated) {
  world->faults.lose_replies = 2;
  Told told;
  mutex->acquire_async(told.note());
  EXPECT_EQ(told.code(), Errc{});
  told.outcome.reset();
  EXPECT_TRUE(eventually([&] { return claims() == 0; }));
}

// The engine does not answer while the hold is destroyed on the runner.
TEST(AsyncHoldTest, AHoldThatACompletionDestroysDelaysNoOtherCall) {
  const auto world = test::make_world(Sort::leased_with_gate);
  const Client client = test::join(world);
  std::atomic<bool> destroyed{false};
  Mutex(client, "a").acquire_async([&](Result<Hold> hold) {
    EXPECT_TRUE(hold);
    world->block.begin("a");
    { const Result<Hold> last = std::move(hold); }
    destroyed = true;
  });
  EXPECT_TRUE(eventually([&] { return destroyed.load(); }, scaled(2s)));
  Told told;
  Mutex(client, "b").acquire_async(told.note());
  EXPECT_TRUE(eventually([&] { return told.calls == 1; }, scaled(2s)));
  EXPECT_EQ(test::places(world, "a"), 1u);
  world->block.let_go();
  EXPECT_TRUE(eventually([&] { return test::places(world, "a") == 0; }));
  EXPECT_TRUE(told.come());
}

TEST_P(AsyncMutexTest, AHoldIsReleasedWithoutWaiting) {
  Told told;
  mutex->acquire_async(told.note());
  ASSERT_EQ(told.code(), Errc{});
  Hold hold = *std::move(*told.outcome);
  std::promise<Result<void>> released;
  hold.release_async(
      [&](Result<void> result) { released.set_value(std::move(result)); });
  EXPECT_FALSE(hold.valid());
  EXPECT_TRUE(released.get_future().get());
  EXPECT_EQ(claims(), 0u);
}

TEST(AsyncHoldTest, AnEmptyHoldIsReleasedOnAnotherThread) {
  std::promise<std::thread::id> released;
  Hold hold;
  hold.release_async([&](Result<void> result) {
    EXPECT_TRUE(result);
    released.set_value(std::this_thread::get_id());
  });
  EXPECT_NE(released.get_future().get(), std::this_thread::get_id());
}

}  // namespace
}  // namespace holdfast

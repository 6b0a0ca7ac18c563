// SPDX-License-Identifier: Apache-2.0

#include "holdfast/coroutine.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "holdfast/admin.h"
#include "holdfast/recursive_mutex.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::eventually;

class CoroutineTest : public test::AdapterTest {
 protected:
  // Runs it, and returns what it has returned.
  template <class T>
  T outcome(Task<T> task) {
    std::optional<T> result;
    std::atomic<bool> done{false};
    run(std::move(task), [&](T value) {
      result.emplace(std::move(value));
      done = true;
    });
    EXPECT_TRUE(eventually([&] { return done.load(); }));
    return *std::move(result);
  }
};

TEST_F(CoroutineTest, WaitsForTheLock) {
  const auto sell = [](Mutex& lock) -> Task<Errc> {
    auto hold = co_await acquired(lock);
    if (!hold) co_return Errc::internal;
    co_return (co_await released(std::move(*hold))) ? Errc{} : Errc::internal;
  };
  EXPECT_EQ(outcome(sell(mutex)), Errc{});
  EXPECT_TRUE(is_free());
}

TEST_F(CoroutineTest, ATimeoutIsAnError) {
  auto held = theirs.acquire();
  const auto sell = [](Mutex& lock) -> Task<bool> {
    auto hold = co_await acquired(lock, {.wait = 1ms});
    co_return !hold && hold.error() == Errc::timed_out;
  };
  EXPECT_TRUE(outcome(sell(mutex)));
}

TEST_F(CoroutineTest, ManyCoroutinesExcludeEachOther) {
  constexpr int kWorkers = 50;
  int inside = 0;
  int most = 0;
  std::atomic<int> done{0};
  const auto work = [&](Mutex& lock) -> Task<void> {
    auto hold = co_await acquired(lock);
    most = std::max(most, ++inside);
    --inside;
    (void)co_await released(std::move(*hold));
  };
  for (int each = 0; each < kWorkers; ++each) {
    run(work(mutex), [&] { ++done; });
  }
  ASSERT_TRUE(eventually([&] { return done == kWorkers; }));
  EXPECT_EQ(most, 1);
}

TEST_F(CoroutineTest, ResumesThroughTheExecutor) {
  std::mutex queue_mutex;
  std::deque<std::function<void()>> queue;
  Client posting = open({.executor = [&](std::function<void()> task) {
    const std::scoped_lock lock(queue_mutex);
    queue.push_back(std::move(task));
  }});
  Mutex lock(posting, "a");
  std::thread::id resumed_on;
  const auto work = [&](Mutex& name) -> Task<void> {
    auto hold = co_await acquired(name);
    resumed_on = std::this_thread::get_id();
    (void)co_await released(std::move(*hold));
  };
  bool done = false;
  run(work(lock), [&] { done = true; });
  EXPECT_TRUE(eventually([&] {
    std::function<void()> next;
    {
      const std::scoped_lock guard(queue_mutex);
      if (!queue.empty()) next = std::move(queue.front());
      if (next) queue.pop_front();
    }
    if (next) next();
    return done;
  }));
  EXPECT_EQ(resumed_on, std::this_thread::get_id());
}

// A coroutine that its owner destroys.
struct Owned {
  struct promise_type {
    Owned get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};

TEST_F(CoroutineTest, ADestroyedCoroutineCancelsItsWait) {
  auto held = theirs.acquire();
  ASSERT_TRUE(held);
  bool resumed = false;
  const auto wait = [&](Mutex& lock) -> Owned {
    auto hold = co_await acquired(lock);
    resumed = true;
  };
  const auto waiting = wait(mutex);
  const auto waiters = [this] {
    return inspect(rival, {engine::Kind::mutex, "a"}).value().waiters.size();
  };
  ASSERT_TRUE(eventually([&] { return waiters() == 1; }));
  waiting.frame.destroy();
  EXPECT_TRUE(eventually([&] { return waiters() == 0; }));
  EXPECT_TRUE(held->release());
  EXPECT_TRUE(is_free());
  EXPECT_FALSE(resumed);
}

// The grant is on its way through the executor when the coroutine is destroyed.
TEST_F(CoroutineTest, ADestroyedCoroutineLeavesWhatItWasAboutToEnter) {
  std::mutex queue_mutex;
  std::deque<std::function<void()>> queue;
  Client posting = open({.executor = [&](std::function<void()> task) {
    const std::scoped_lock lock(queue_mutex);
    queue.push_back(std::move(task));
  }});
  RecursiveMutex lock(posting, "a");
  const RecursiveMutex::Owner owner;
  const auto enter = [&]() -> Owned { (void)co_await acquired(lock, owner); };
  const auto waiting = enter();
  const auto is_posted = [&] {
    const std::scoped_lock guard(queue_mutex);
    return !queue.empty();
  };
  ASSERT_TRUE(eventually(is_posted));
  waiting.frame.destroy();
  std::deque<std::function<void()>> posted;
  {
    const std::scoped_lock guard(queue_mutex);
    posted.swap(queue);
  }
  posted.front()();
  EXPECT_TRUE(is_free());
  EXPECT_EQ(lock.depth(owner), 0u);
  posting.close();  // The release is given to the executor, too.
}

TEST_F(CoroutineTest, TheCallersStopTokenStillCancels) {
  auto held = theirs.acquire();
  std::stop_source stop;
  const auto wait = [](Mutex& lock, std::stop_token token) -> Task<bool> {
    const WaitOptions options{.stop = std::move(token)};  // see holdfast/coroutine.h
    auto hold = co_await acquired(lock, options);
    co_return !hold && hold.error() == Errc::cancelled;
  };
  std::optional<bool> cancelled;
  std::atomic<bool> done{false};
  run(wait(mutex, stop.get_token()), [&](bool so) {
    cancelled = so;
    done = true;
  });
  stop.request_stop();
  ASSERT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_EQ(cancelled, true);
}

TEST_F(CoroutineTest, RunsWorkUnderAHold) {
  const auto sell = [this](Mutex& lock) -> Task<int> {
    auto sold =
        co_await with_hold(lock, {.wait = 10s}, [this](Hold& hold) -> Task<int> {
          EXPECT_FALSE(theirs.try_lock());
          EXPECT_TRUE(hold.valid());
          co_return 7;
        });
    co_return sold.value_or(0);
  };
  EXPECT_EQ(outcome(sell(mutex)), 7);
  EXPECT_TRUE(is_free());
}

TEST_F(CoroutineTest, ReleasesWhenTheWorkThrows) {
  const auto sell = [this](Mutex& lock) -> Task<bool> {
    try {
      (void)co_await with_hold(lock, {}, [](Hold&) -> Task<void> {
        throw std::runtime_error("out of stock");
        co_return;
      });
    } catch (const std::runtime_error&) {
      co_return theirs.acquire({.wait = 0s}).has_value();
    }
    co_return false;
  };
  EXPECT_TRUE(outcome(sell(mutex)));
}

TEST_F(CoroutineTest, DoesNoWorkWithoutTheLock) {
  auto held = theirs.acquire();
  const auto sell = [](Mutex& lock) -> Task<bool> {
    bool worked = false;
    auto sold = co_await with_hold(lock, {.wait = 1ms}, [&](Hold&) -> Task<void> {
      worked = true;
      co_return;
    });
    co_return !worked && !sold && sold.error() == Errc::timed_out;
  };
  EXPECT_TRUE(outcome(sell(mutex)));
}

}  // namespace
}  // namespace holdfast

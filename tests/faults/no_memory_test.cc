// SPDX-License-Identifier: Apache-2.0

// When an allocation fails, whichever of a call it is, no claim is left that its caller
// does not know of.

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/engine/session.h"
#include "holdfast/lock_reason.h"
#include "holdfast/multi_lock.h"
#include "holdfast/mutex.h"
#include "holdfast/shared_mutex.h"
#include "support/eventually.h"
#include "support/temp_dir.h"

namespace {

// This is how many more allocations of this thread succeed; a negative number means
// all.
thread_local long g_left = -1;

// This is how many of the next allocations of the renewer's timer fail.
std::atomic<int> g_timer_fails{0};

bool on_timer() noexcept {
  std::array<char, 16> name{};
  return prctl(PR_GET_NAME, name.data()) == 0 &&
         std::string_view(name.data()) == "hf-renewer";
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (g_left == 0) {
    g_left = -1;
    throw std::bad_alloc();
  }
  if (g_left > 0) --g_left;
  if (g_timer_fails.load() > 0 && on_timer()) {
    --g_timer_fails;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr int kAllocations = 16;  // No call makes as many.

class NoMemory : public testing::Test {
 protected:
  // The calls are made in a new thread, and its first ones allocate what it keeps.
  template <class M>
  void acquire_with(int allocations, const std::string& name, M& mutex) {
    std::async(std::launch::async, [&] {
      g_left = allocations;
      const auto hold = mutex.acquire({.wait = patience()});
      g_left = -1;
      EXPECT_TRUE(hold || hold.error().code == Errc::full) << name;
    }).get();
  }

  TempDir dir_;
  const std::string url_ = "local://" + dir_.file("segment");
  const Client one_ = Client::open(url_).value();
  const Client two_ = Client::open(url_).value();
};

TEST_F(NoMemory, ForASharedClaim) {
  for (int i = 0; i < kAllocations; ++i) {
    const std::string name = std::to_string(i);
    SharedMutex mutex(one_, name);
    ASSERT_FALSE(mutex.name().empty());
    acquire_with(i, name, mutex);
    SharedMutex other(two_, name);
    EXPECT_TRUE(other.try_lock_for(patience())) << "allocation " << i << " failed";
  }
}

TEST_F(NoMemory, ForAClaimThatWaits) {
  for (int i = 0; i < kAllocations; ++i) {
    const std::string name = std::to_string(i);
    Mutex held(two_, name);
    held.lock();
    Mutex mutex(one_, name);
    auto freed = std::async(std::launch::async, [&] {
      const auto m = two_.session().bind({engine::Kind::mutex, name}).value();
      (void)eventually(
          [&] {
            const auto seen = m->survey(10, Clock::now() + patience());
            return seen && seen->size() == 2;
          },
          20ms);
      held.unlock();
    });
    acquire_with(i, name, mutex);
    freed.get();
    Mutex other(two_, name);
    EXPECT_TRUE(other.try_lock_for(patience())) << "allocation " << i << " failed";
  }
}

// The sentence that names the holder needs more memory than the rest.
TEST_F(NoMemory, ForAWaitThatEnds) {
  constexpr int kManyAllocations = 60;
  Mutex held(two_, "held");
  held.lock();
  for (int i = 0; i < kManyAllocations; ++i) {
    const auto expect_refused = [&](auto& lock) {
      std::async(std::launch::async, [&] {
        const LockReason reason("a reason that does not fit into a short string");
        g_left = i;
        const auto hold = lock.acquire({.wait = 1ms});
        g_left = -1;
        ASSERT_FALSE(hold) << i;
        EXPECT_TRUE(hold.error() == Errc::timed_out || hold.error() == Errc::full) << i;
      }).get();
    };
    Mutex mutex(one_, "held");
    expect_refused(mutex);
    MultiLock both(one_, {"free", "held"});
    expect_refused(both);
    EXPECT_TRUE(Mutex(two_, "free").try_lock()) << "allocation " << i << " failed";
  }
}

// A loss is told all the same, if later.
TEST_F(NoMemory, OnTheTimer) {
  Mutex mutex(one_, "a", LeaseOptions::fixed(200ms));
  const auto hold = mutex.acquire();
  ASSERT_TRUE(hold);
  const auto lost = hold->lost();
  g_timer_fails = 3;
  EXPECT_TRUE(eventually([&] { return lost.stop_requested(); }));
  EXPECT_EQ(g_timer_fails.exchange(0), 0);
}

// What an asynchronous call came to.
struct Outcome {
  std::promise<void> over;  // it was completed, or its completion was destroyed
  std::optional<Result<Hold>> told;
};

class NoMemoryAsync : public NoMemory {
 protected:
  // Starts a call of which so many allocations succeed. It may throw.
  static void start(int allocations, Mutex& mutex, const std::stop_token& stop,
                    const std::shared_ptr<Outcome>& outcome) {
    const WaitOptions options{.wait = patience(), .stop = stop};
    const std::shared_ptr<Outcome> end(
        outcome.get(), [outcome](Outcome* ended) { ended->over.set_value(); });
    Completion<Hold> done = [end](Result<Hold> hold) { end->told = std::move(hold); };
    g_left = allocations;
    try {
      mutex.acquire_async(options, std::move(done));
    } catch (const std::bad_alloc&) {
    }
  }
  // Runs `work` in a completion.
  void on_runner(const std::function<void()>& work) const {
    std::promise<void> done;
    Mutex(one_, "runner").acquire_async([&](const Result<Hold>&) {
      work();
      done.set_value();
    });
    done.get_future().get();
  }
  // Starts the call by `start_it` while the lock is held, alone or behind another call
  // of its client, frees the lock, and looks whether others get it then.
  template <class Start>
  void expect_no_trace(int i, const Start& start_it) {
    for (const bool queues : {false, true}) expect_no_trace(i, queues, start_it);
  }
  template <class Start>
  void expect_no_trace(int i, bool queues, const Start& start_it) {
    const std::string name = std::to_string(i) + (queues ? " behind another" : "");
    Mutex held(two_, name);
    held.lock();
    Mutex mutex(one_, name);
    ASSERT_FALSE(mutex.name().empty());
    const std::stop_source stop;
    const auto ahead = std::make_shared<Outcome>();
    if (queues) start(-1, mutex, stop.get_token(), ahead);
    const auto outcome = std::make_shared<Outcome>();
    start_it(mutex, stop.get_token(), outcome);
    held.unlock();
    if (queues) ahead->over.get_future().get();
    ahead->told.reset();
    outcome->over.get_future().get();
    on_runner([] { g_left = -1; });
    if (outcome->told && !*outcome->told) {
      EXPECT_EQ(outcome->told->error().code, Errc::full) << name;
    }
    outcome->told.reset();
    auto next = std::make_shared<Outcome>();
    start(-1, mutex, stop.get_token(), next);
    next->over.get_future().get();
    EXPECT_TRUE(next->told && *next->told) << "allocation " << i << " failed";
    next->told.reset();
    Mutex other(two_, name);
    EXPECT_TRUE(other.try_lock_for(patience())) << "allocation " << i << " failed";
  }
};

TEST_F(NoMemoryAsync, InTheCallThatStartsIt) {
  on_runner([] {});
  for (int i = 0; i < kAllocations; ++i) {
    expect_no_trace(i, [&](Mutex& mutex, const auto& stop, const auto& outcome) {
      start(i, mutex, stop, outcome);
      g_left = -1;
    });
  }
}

TEST_F(NoMemoryAsync, OnTheRunner) {
  for (int i = 0; i < kAllocations; ++i) {
    expect_no_trace(i, [&](Mutex& mutex, const auto& stop, const auto& outcome) {
      on_runner([&] { start(i, mutex, stop, outcome); });
    });
  }
}

}  // namespace
}  // namespace holdfast::test

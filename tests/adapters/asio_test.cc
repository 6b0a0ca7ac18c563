// SPDX-License-Identifier: Apache-2.0

// Standalone Asio, with cancellation slots and asio::awaitable.

#include <asio.hpp>
//
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/asio.h"
#include "world.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::scaled;

class AsioTest : public test::AdapterTest {
 protected:
  asio::io_context io;
};

TEST_F(AsioTest, CompletesOnTheHandlersExecutor) {
  std::optional<Result<Hold>> outcome;
  async_acquire(mutex, {}, asio::bind_executor(io, [&](Result<Hold> hold) {
                  EXPECT_TRUE(io.get_executor().running_in_this_thread());
                  outcome.emplace(std::move(hold));
                }));
  EXPECT_FALSE(outcome);
  io.run();  // the call is outstanding work: this does not return before it is done
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(*outcome);
}

// Runs what is posted at once, in the thread that posts it, as the threads of a context
// may do before `post` returns. Notes how much work is outstanding then.
struct EagerExecutor {
  asio::execution_context& context() const noexcept { return *where; }
  void on_work_started() const noexcept { ++*work; }
  void on_work_finished() const noexcept { --*work; }
  template <class Function, class Allocator>
  void post(Function&& function, const Allocator&) const {
    std::decay_t<Function>(std::forward<Function>(function))();
    *left = work->load();
  }
  template <class Function, class Allocator>
  void dispatch(Function&& function, const Allocator& allocator) const {
    post(std::forward<Function>(function), allocator);
  }
  template <class Function, class Allocator>
  void defer(Function&& function, const Allocator& allocator) const {
    post(std::forward<Function>(function), allocator);
  }
  bool operator==(const EagerExecutor&) const noexcept = default;

  asio::execution_context* where;
  std::atomic<int>* work;
  std::atomic<int>* left;
};

// A context without work may be destroyed, and `post` still uses it.
TEST_F(AsioTest, TheContextHasWorkUntilTheCompletionIsPosted) {
  std::atomic<int> work{0};
  std::atomic<int> left{-1};
  std::atomic<bool> done{false};
  async_acquire(mutex, {},
                asio::bind_executor(EagerExecutor{&io, &work, &left},
                                    [&](const Result<Hold>&) { done = true; }));
  ASSERT_TRUE(eventually([&] { return left != -1; }));
  EXPECT_TRUE(done);
  EXPECT_GT(left, 0);
  EXPECT_TRUE(eventually([&] { return work == 0; }));
}

TEST_F(AsioTest, TakesTokens) {
  auto coming = async_acquire(mutex, {}, asio::bind_executor(io, asio::use_future));
  io.run();
  EXPECT_TRUE(coming.get());
}

TEST_F(AsioTest, ASlotCancels) {
  auto held = theirs.acquire();
  asio::cancellation_signal signal;
  std::optional<Errc> code;
  async_acquire(mutex, {},
                asio::bind_cancellation_slot(
                    signal.slot(), asio::bind_executor(io, [&](Result<Hold> hold) {
                      code = static_cast<Errc>(hold.error().code.value());
                    })));
  asio::post(io, [&] { signal.emit(asio::cancellation_type::total); });
  io.run();
  EXPECT_EQ(code, Errc::cancelled);
  EXPECT_TRUE(held->release());
  EXPECT_TRUE(is_free());
}

TEST_F(AsioTest, AwaitsInACoroutine) {
  bool sold = false;
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {
        auto hold = co_await async_acquire(mutex, {}, asio::use_awaitable);
        sold =
            hold && co_await async_run(released(std::move(*hold)), asio::use_awaitable);
      },
      asio::detached);
  io.run();
  EXPECT_TRUE(sold);
  EXPECT_TRUE(is_free());
}

TEST_F(AsioTest, OneThreadServesManyWaiters) {
  constexpr int kWaiters = 200;
  int inside = 0;
  int most = 0;
  int served = 0;
  for (int each = 0; each < kWaiters; ++each) {
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
          const auto done =
              co_await with_hold(mutex, {}, [&](Hold&) -> asio::awaitable<void> {
                most = std::max(most, ++inside);
                co_await asio::post(asio::use_awaitable);
                --inside;
              });
          served += done.has_value() ? 1 : 0;
        },
        asio::detached);
  }
  io.run();
  EXPECT_EQ(served, kWaiters);
  EXPECT_EQ(most, 1);
}

TEST_F(AsioTest, ALostHoldCancelsItsWork) {
  Mutex brief(client, "brief", LeaseOptions::fixed(scaled(50ms)));
  std::optional<Result<int>> outcome;
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {
        outcome.emplace(
            co_await with_hold(brief, {}, [](Hold&) -> asio::awaitable<int> {
              asio::steady_timer timer(co_await asio::this_coro::executor, 10min);
              co_await timer.async_wait(asio::use_awaitable);
              co_return 1;
            }));
      },
      asio::detached);
  io.run();
  ASSERT_TRUE(outcome);
  ASSERT_FALSE(*outcome);
  EXPECT_EQ(outcome->error(), Errc::not_held);
}

TEST_F(AsioTest, ACancelledScopeCancelsItsWorkAndReleases) {
  asio::cancellation_signal signal;
  bool aborted = false;
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {
        (void)co_await with_hold(mutex, {}, [&](Hold&) -> asio::awaitable<void> {
          asio::post(io, [&] { signal.emit(asio::cancellation_type::terminal); });
          asio::steady_timer timer(io, 10min);
          co_await timer.async_wait(asio::use_awaitable);
        });
      },
      asio::bind_cancellation_slot(
          signal.slot(),
          [&](const std::exception_ptr& thrown) { aborted = thrown != nullptr; }));
  io.run();
  EXPECT_TRUE(aborted);
  EXPECT_TRUE(is_free());
}

// A cancelled coroutine waits for the release, too: the destructor of the hold would
// block the event loop.
TEST_F(AsioTest, ACancelledScopeAwaitsTheReleaseAndThrowsWhatItsWorkThrew) {
  asio::cancellation_signal signal;
  std::string thrown;
  bool free_at_once = false;
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {
        try {
          (void)co_await with_hold(mutex, {}, [&](Hold&) -> asio::awaitable<void> {
            asio::post(io, [&] { signal.emit(asio::cancellation_type::terminal); });
            asio::steady_timer timer(io, 10min);
            try {
              co_await timer.async_wait(asio::use_awaitable);
            } catch (const std::exception&) {
              throw std::logic_error("half sold");
            }
          });
        } catch (const std::exception& error) {
          thrown = error.what();
          free_at_once = theirs.acquire({.wait = Timeout::zero()}).has_value();
        }
      },
      asio::bind_cancellation_slot(signal.slot(), asio::detached));
  io.run();
  EXPECT_EQ(thrown, "half sold");
  EXPECT_TRUE(free_at_once);
}

TEST_F(AsioTest, AnExceptionOfTheWorkIsThrownOnAlsoWhenTheHoldWasLost) {
  Mutex brief(client, "brief", LeaseOptions::fixed(scaled(50ms)));
  std::exception_ptr thrown;
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {
        (void)co_await with_hold(brief, {}, [&](Hold&) -> asio::awaitable<void> {
          asio::steady_timer timer(io, 10min);
          try {
            co_await timer.async_wait(asio::use_awaitable);
          } catch (const std::exception&) {
            throw std::runtime_error("out of stock");
          }
        });
      },
      [&](const std::exception_ptr& what) { thrown = what; });
  io.run();
  EXPECT_THROW(std::rethrow_exception(thrown), std::runtime_error);
}

TEST_F(AsioTest, AnExceptionOfTheWorkIsThrownOn) {
  std::exception_ptr thrown;
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {
        (void)co_await with_hold(mutex, {}, [](Hold&) -> asio::awaitable<void> {
          throw std::runtime_error("out of stock");
          co_return;
        });
      },
      [&](const std::exception_ptr& what) { thrown = what; });
  io.run();
  EXPECT_THROW(std::rethrow_exception(thrown), std::runtime_error);
  EXPECT_TRUE(is_free());
}

}  // namespace
}  // namespace holdfast

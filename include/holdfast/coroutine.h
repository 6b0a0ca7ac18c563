// SPDX-License-Identifier: Apache-2.0

// holdfast/coroutine.h - asynchronous calls in C++20 coroutines.
//
//   auto sell = [](holdfast::Mutex& stock) -> holdfast::Task<void> {
//     auto hold = co_await holdfast::acquired(stock, {.wait = 2s});
//     if (!hold) co_return report(hold.error());
//     table.update(row, hold->token());
//     (void)co_await holdfast::released(std::move(*hold));
//   };
//   holdfast::run(sell(mutex), [] {});
//
// `co_await operation` suspends the coroutine until the call is done and returns its
// Result. It works in coroutines of every kind that pass on what they do not know; for
// asio::awaitable use holdfast/asio.h. The coroutine is resumed where completions run:
// on the client's runner, where it must not block, or through
// `ClientOptions::executor` (see holdfast/completion.h).
//
// A coroutine may be destroyed while it is suspended here, though not while it is being
// resumed: the call is then cancelled, and what it has acquired nevertheless is
// released.
//
// GCC 12 destroys twice what is initialized by braces inside a co_await expression. A
// stop token does not survive that: give the options a name before.
//
//   const holdfast::WaitOptions options{.stop = ending};
//   const auto wait = [&]() -> holdfast::Task<bool> {
//     co_return (co_await holdfast::acquired(mutex, options)).has_value();
//   };
//   (void)wait;

#pragma once

#include "holdfast/export.h"  // says which standard is needed
#ifndef __cpp_impl_coroutine
#error "holdfast/coroutine.h needs coroutines: GCC 11, Clang 14 or later"
#endif

#include <atomic>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "holdfast/operation.h"

namespace holdfast::inline v0 {

// What `co_await operation` waits with.
template <class T, class Start>
class OperationAwaiter {
 public:
  explicit OperationAwaiter(Operation<T, Start>&& operation)
      : operation_(std::move(operation)) {}
  OperationAwaiter(const OperationAwaiter&) = delete;
  OperationAwaiter& operator=(const OperationAwaiter&) = delete;
  ~OperationAwaiter() {
    if (shared_ != nullptr && !shared_->settled.exchange(true)) {
      shared_->stop.request();
    }
  }

  bool await_ready() const noexcept { return false; }

  // The coroutine may be resumed by another thread before `start` returns, so nothing
  // of this object is used after it.
  void await_suspend(std::coroutine_handle<> waiting) {
    shared_ = std::make_shared<Shared>(operation_.stop(), waiting);
    auto operation = std::move(operation_);
    auto stop = shared_->stop.token();
    std::move(operation).start(std::move(stop), Resume{shared_});
  }

  Result<T> await_resume() { return *std::move(shared_->result); }

 private:
  struct Shared {
    Shared(const std::stop_token& other, std::coroutine_handle<> handle)
        : stop(other), waiting(handle) {}
    LinkedStop stop;
    const std::coroutine_handle<> waiting;
    std::optional<Result<T>> result;
    std::atomic<bool> settled{false};  // the call is done, or the awaiter is gone
  };
  // The completion.
  struct Resume {
    std::shared_ptr<Shared> shared;
    bool accept() noexcept { return !shared->settled.exchange(true); }
    void operator()(Result<T> result) {
      shared->result.emplace(std::move(result));
      shared->waiting.resume();
    }
  };

  Operation<T, Start> operation_;
  std::shared_ptr<Shared> shared_;
};

template <class T, class Start>
OperationAwaiter<T, Start> operator co_await(Operation<T, Start>&& operation) {
  return OperationAwaiter<T, Start>(std::move(operation));
}

// A coroutine that starts when it is awaited, and that resumes the coroutine which
// awaits it. It is move-only. For programs that have no such type of their own.
template <class T>
class [[nodiscard]] Task {
 public:
  struct promise_type;

  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_ != nullptr) frame_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    frame_.promise().waiting = waiting;
    return frame_;
  }
  T await_resume() { return frame_.promise().take(); }

 private:
  using Frame = std::coroutine_handle<promise_type>;
  explicit Task(Frame frame) noexcept : frame_(frame) {}
  Frame frame_;
};

// For Task: where a coroutine leaves what it returns.
template <class T>
class TaskOutcome {
 public:
  template <class U>
  void return_value(U&& value) {
    outcome_.template emplace<1>(std::forward<U>(value));
  }
  void unhandled_exception() noexcept {
    outcome_.template emplace<2>(std::current_exception());
  }
  T take() {
    if (auto* thrown = std::get_if<2>(&outcome_)) std::rethrow_exception(*thrown);
    return std::move(*std::get_if<1>(&outcome_));
  }

 private:
  std::variant<std::monostate, T, std::exception_ptr> outcome_;
};
template <>
class TaskOutcome<void> {
 public:
  void return_void() noexcept {}
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }
  void take() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

template <class T>
struct Task<T>::promise_type : TaskOutcome<T> {  // NOLINT: the standard names it
  struct Final {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Frame ended) noexcept {
      const auto next = ended.promise().waiting;
      return next != nullptr ? next : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  Task get_return_object() noexcept { return Task(Frame::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  Final final_suspend() const noexcept { return {}; }

  std::coroutine_handle<> waiting;
};

// Starts a coroutine that nothing awaits. `done` is called when it has ended, in the
// thread in which it ended; an exception of the coroutine terminates the program.
template <class T, class Done>
void run(Task<T> task, Done done) {
  struct Detached {
    struct promise_type {  // NOLINT: the standard names it
      Detached get_return_object() const noexcept { return {}; }
      std::suspend_never initial_suspend() const noexcept { return {}; }
      std::suspend_never final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      void unhandled_exception() const noexcept { std::terminate(); }
    };
  };
  [](Task<T> running, Done then) -> Detached {
    if constexpr (std::is_void_v<T>) {
      co_await running;
      then();
    } else {
      then(co_await running);
    }
  }(std::move(task), std::move(done));
}

// The R of a Task<R>, and what a Work returns that runs under the hold of a Lock.
template <class>
struct TaskValue {};
template <class T>
struct TaskValue<Task<T>> {
  using type = T;
};
template <class Lock, class Work>
using TaskUnder = typename TaskValue<std::invoke_result_t<Work&, HoldOf<Lock>&>>::type;

// Runs `work(hold)`, a Task<R>, while the lock is held, and waits for the release:
//
//   auto sold = co_await with_hold(stock, {.wait = 2s}, [&](Hold& hold) -> Task<int> {
//     co_return take_one(hold.token());
//   });
//
// The errors are those of `acquire`, and Errc::not_held: the lock was lost before the
// work had ended, so that another client may have had it at the same time. The work can
// watch `hold.lost()`. An exception of the work is thrown on when the lock has been
// released.
template <class Lock, class Work>
auto with_hold(Lock& lock, WaitOptions options, Work work)
    -> Task<Result<TaskUnder<Lock, Work>>> {
  using R = TaskUnder<Lock, Work>;
  auto hold = co_await acquired(lock, std::move(options));
  if (!hold) co_return std::move(hold).error();
  std::conditional_t<std::is_void_v<R>, std::monostate, std::optional<R>> outcome;
  std::exception_ptr thrown;
  try {
    if constexpr (std::is_void_v<R>) {
      co_await work(*hold);
    } else {
      outcome.emplace(co_await work(*hold));
    }
  } catch (...) {
    thrown = std::current_exception();
  }
  const auto ended = co_await released(std::move(*hold));
  if (thrown) std::rethrow_exception(thrown);
  // Any other failure to release is Holdfast's to repair.
  if (!ended && ended.error() == Errc::not_held) co_return ended.error();
  if constexpr (std::is_void_v<R>) {
    co_return Result<void>();
  } else {
    co_return *std::move(outcome);
  }
}

}  // namespace holdfast::inline v0

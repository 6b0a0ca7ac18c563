// SPDX-License-Identifier: Apache-2.0

// base/thread_pool.h - threads that start when work waits and end when there is none.
//
//   base::ThreadPool pool({.name = "hf-x", .most = 8, .patience = 5ms});
//   if (!pool.post([] { ... })) ...            // no thread could be started

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace holdfast::base {

// The pause before a caller tries again to start a thread that the system did not give.
inline constexpr std::chrono::nanoseconds kNoThreadPause =
    std::chrono::milliseconds(10);

// One thread runs the tasks in the order of posting. A task that has waited for
// `patience`, because the tasks before it take long, is started by another thread; with
// a patience of zero, at once. Only when `most` threads are busy does a task wait for
// one of them. One idle thread is kept; any other ends after a second. The class is
// safe for concurrent use.
class ThreadPool {
 public:
  struct Options {
    const char* name;
    std::size_t most;
    std::chrono::nanoseconds patience;
  };

  explicit ThreadPool(const Options& options);
  ~ThreadPool();  // calls `stop()`

  // Returns false if the task was not taken, because the pool was stopped, or has no
  // thread and the system refuses to start one. A task must not throw.
  [[nodiscard]] bool post(std::function<void()> task);

  // Runs the tasks that were posted and waits for all threads to end. If a task calls
  // it, it does not wait: the threads end by themselves, and use nothing of the pool's
  // owner.
  void stop() noexcept;

  // Returns whether the caller is one of the pool's threads.
  bool inside() const noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::base

// base/thread_pool.h - threads that come when work waits and end when there is none.
//
//   base::ThreadPool pool({.name = "holdfast-x", .most = 8, .patience = 5ms});
//   if (!pool.post([] { ... })) ...            // there is no thread to be had

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace holdfast::base {

// One thread runs the tasks in the order of posting. A task that has waited for
// `patience`, because the ones before it take long, is started by another thread: with
// a patience of zero, at once. Only when `most` threads are busy does a task wait for
// one of them. One idle thread is kept; any other ends after a second. Safe for
// concurrent use.
class ThreadPool {
 public:
  struct Options {
    const char* name;
    std::size_t most;
    std::chrono::nanoseconds patience;
  };

  explicit ThreadPool(const Options& options);
  ~ThreadPool();  // as `stop()`

  // False: the task was not taken, since the pool was stopped or has no thread and the
  // system gives none. A task must not throw.
  [[nodiscard]] bool post(std::function<void()> task);

  // Runs what was posted and waits for all threads to end. Called by a task, it does
  // not wait: the threads end by themselves, and use nothing of the pool's owner.
  void stop() noexcept;

  // Whether the caller is one of the threads.
  bool inside() const noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace holdfast::base

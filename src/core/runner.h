// SPDX-License-Identifier: Apache-2.0

// core/runner.h - drives the asynchronous calls of one client.
//
//   ring / due -> step -> [sleep -> step]* -> done -> completion
//
// One thread keeps the time of all tasks, takes the steps that wait for nothing, and
// calls the completions. It takes all steps that are due before it calls a completion,
// so that what they send to a server goes out together. Steps that may wait for a
// server are taken by a few workers, so that a slow answer delays no other task. The
// number of threads does not depend on the number of tasks.

#pragma once

#include <cstddef>
#include <memory>
#include <thread>

#include "base/cork.h"
#include "base/mutex.h"
#include "base/thread_pool.h"
#include "core/timer_heap.h"
#include "holdfast/subscription.h"

namespace holdfast::core {

// Each task keeps it alive, and so does its thread: the last copy of a client may be
// destroyed by a completion. The class is safe for concurrent use.
class Runner final : public std::enable_shared_from_this<Runner>,
                     public base::Cork::Outlet {
 public:
  // The most steps that wait for a server at once.
  static constexpr std::size_t kMostWorkers = 8;

  // Completions are given to `executor`, or run on the runner's thread if it is empty.
  explicit Runner(Executor executor);
  ~Runner();

  // Takes the first step of a new task soon. The first task starts the thread. Without
  // a thread the task fails with Errc::full, and is completed before the call returns.
  // Without memory it throws std::bad_alloc, and the task has not been started.
  void start(const std::shared_ptr<Task>& task);

  // Waits until no task is left, unless a completion calls it. The tasks have to end by
  // themselves, because their client is closed. The thread then ends, and comes back
  // for a task that is started later.
  void drain() noexcept;

  // Returns whether the caller is a completion on the runner's thread.
  bool inside() const noexcept;

  // Returns whether the calling thread is the runner of any client.
  static bool is_current() noexcept;

  // Calls the completion of a task that no runner can drive: in a child of fork(), or
  // without a thread. `executor` is the client's.
  static void complete_without_runner(const std::shared_ptr<Task>& task,
                                      const Executor& executor) noexcept;

  const Executor& executor() const noexcept { return executor_; }

 private:
  friend class Task;
  using Time = Clock::time_point;

  void fail(const std::shared_ptr<Task>& task) const noexcept;
  bool ensure_thread() noexcept HOLDFAST_REQUIRES(mutex_);
  void run() noexcept;
  void run_steps(TaskList tasks) noexcept HOLDFAST_EXCLUDES(mutex_);
  bool await_work(base::MutexLock& lock) HOLDFAST_REQUIRES(mutex_);
  void flush() noexcept override { changed_.notify_all(); }
  void wake() noexcept;
  void wake_those_due() noexcept HOLDFAST_REQUIRES(mutex_);
  void rung(Task& task) noexcept HOLDFAST_EXCLUDES(mutex_);
  void make_ready(Task& task) noexcept HOLDFAST_REQUIRES(mutex_);
  bool give_to_worker(Task& task) noexcept HOLDFAST_REQUIRES(mutex_);
  void take_step(Task& task) noexcept HOLDFAST_EXCLUDES(mutex_);
  void settle(Task& task, const WaitLoop::Step& step) noexcept
      HOLDFAST_REQUIRES(mutex_);
  void complete(Task& task) noexcept HOLDFAST_EXCLUDES(mutex_);

  const Executor executor_;
  base::ThreadPool workers_;

  base::Mutex mutex_;
  base::CondVar changed_;
  std::thread thread_ HOLDFAST_GUARDED_BY(mutex_);
  bool running_ HOLDFAST_GUARDED_BY(mutex_) = false;  // whether the thread runs
  bool draining_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::size_t tasks_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // that are not completed
  TaskList ready_ HOLDFAST_GUARDED_BY(mutex_);         // to take a step
  TaskList done_ HOLDFAST_GUARDED_BY(mutex_);          // to be completed
  TimerHeap timers_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::core

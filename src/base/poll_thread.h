// SPDX-License-Identifier: Apache-2.0

// base/poll_thread.h - a thread that looks at something from time to time.
//
//   PollThread thread("hf-mysql-poll", [this] { return look(); });
//   if (!thread.wake()) ...               // there is something to look at

#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "holdfast/clock.h"

namespace holdfast::base {

// It starts at the first `wake`, so that a client that needs no thread has none. The
// class is safe for concurrent use. The owner's other members must outlive it.
class PollThread {
 public:
  // `look` runs on the thread. It returns when it is to run again;
  // `Clock::time_point::max()` means that it runs only after the next `wake`. If it
  // throws, for want of memory, it runs again after `kPauseAfterThrow`: what it was to
  // see must still be there then.
  using Look = std::function<Clock::time_point()>;
  static constexpr std::chrono::milliseconds kPauseAfterThrow{100};

  PollThread(const char* name, Look look) noexcept
      : name_(name), look_(std::move(look)) {}
  ~PollThread() { stop(); }
  PollThread(const PollThread&) = delete;
  PollThread& operator=(const PollThread&) = delete;

  // Lets `look` run at once. Returns false if there is no thread and the system gives
  // none; the next call tries again. After `stop` the call does nothing.
  [[nodiscard]] bool wake() noexcept;

  // Waits for `look` to return. After this it does not run any more.
  void stop() noexcept;

 private:
  void run();
  Clock::time_point look() const noexcept;

  const char* const name_;
  const Look look_;
  Mutex mutex_;
  CondVar changed_;
  bool woken_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread thread_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::base

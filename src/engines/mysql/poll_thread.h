// SPDX-License-Identifier: Apache-2.0

// engines/mysql/poll_thread.h - a thread that looks at the database from time to time.
//
//   PollThread thread("hf-mysql-poll", [this] { return look(); });
//   if (!thread.wake()) ...               // there is something to look at

#pragma once

#include <functional>
#include <thread>

#include "base/mutex.h"
#include "holdfast/clock.h"

namespace holdfast::mysql {

// It starts at the first `wake`, so that a client that needs no thread has none. The
// class is safe for concurrent use. The owner's other members must outlive it.
class PollThread {
 public:
  // `look` runs on the thread. It returns when it is to run again;
  // `Clock::time_point::max()` means that it runs only after the next `wake`.
  using Look = std::function<Clock::time_point()>;

  PollThread(const char* name, Look look) noexcept
      : name_(name), look_(std::move(look)) {}
  ~PollThread();  // waits for `look` to return

  // Lets `look` run at once. Returns false if there is no thread and the system gives
  // none; the next call tries again.
  [[nodiscard]] bool wake() noexcept;

 private:
  void run();

  const char* const name_;
  const Look look_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool woken_ HOLDFAST_GUARDED_BY(mutex_) = false;
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  std::thread thread_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::mysql

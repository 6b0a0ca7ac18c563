// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/poll_thread.h"

#include "base/thread.h"
#include "base/time_left.h"

namespace holdfast::mysql {

PollThread::~PollThread() {
  std::thread last;
  {
    base::MutexLock lock(mutex_);
    stopping_ = true;
    last.swap(thread_);
    changed_.notify_one();
  }
  if (last.joinable()) last.join();
}

void PollThread::wake() {
  base::MutexLock lock(mutex_);
  woken_ = true;
  if (!thread_.joinable() && !stopping_) {
    thread_ = base::start_thread(name_, [this] { run(); });
  }
  changed_.notify_one();
}

void PollThread::run() {
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    woken_ = false;
    lock.unlock();
    const auto due = look_();
    lock.lock();
    while (!woken_ && !stopping_) {
      const auto left = base::time_left(due);
      if (left == Clock::duration::zero()) break;
      changed_.wait_for(lock, left);
    }
  }
}

}  // namespace holdfast::mysql

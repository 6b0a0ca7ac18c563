// SPDX-License-Identifier: Apache-2.0

#include "base/poll_thread.h"

#include <exception>

#include "base/thread.h"
#include "base/time_left.h"

namespace holdfast::base {

void PollThread::stop() noexcept {
  std::thread last;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    last.swap(thread_);
    changed_.notify_one();
  }
  if (last.joinable()) last.join();
}

bool PollThread::wake() noexcept {
  MutexLock lock(mutex_);
  woken_ = true;
  if (!thread_.joinable() && !stopping_) {
    try {
      thread_ = start_thread(name_, [this] { run(); });
    } catch (const std::exception&) {
      return false;
    }
  }
  changed_.notify_one();
  return true;
}

Clock::time_point PollThread::look() const noexcept {
  try {
    return look_();
  } catch (const std::exception&) {  // There is no memory.
    return Clock::now() + kPauseAfterThrow;
  }
}

void PollThread::run() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    woken_ = false;
    lock.unlock();
    const auto due = look();
    lock.lock();
    while (!woken_ && !stopping_) {
      const auto left = time_left(due);
      if (left == Clock::duration::zero()) break;
      changed_.wait_for(lock, left);
    }
  }
}

}  // namespace holdfast::base

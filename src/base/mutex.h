// SPDX-License-Identifier: Apache-2.0

// base/mutex.h - std::mutex and its relatives, annotated for the thread-safety
// analysis.
//
//   base::Mutex mutex_;
//   int count_ HOLDFAST_GUARDED_BY(mutex_);
//
//   base::MutexLock lock(mutex_);
//   while (count_ == 0) changed_.wait(lock);

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "holdfast/thread_annotations.h"

namespace holdfast::base {

class HOLDFAST_CAPABILITY("mutex") Mutex {
 public:
  void lock() HOLDFAST_ACQUIRE() { mutex_.lock(); }
  void unlock() HOLDFAST_RELEASE() { mutex_.unlock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

class HOLDFAST_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) HOLDFAST_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() HOLDFAST_RELEASE() {}

  void lock() HOLDFAST_ACQUIRE() { lock_.lock(); }
  void unlock() HOLDFAST_RELEASE() { lock_.unlock(); }

 private:
  friend class CondVar;
  std::unique_lock<std::mutex> lock_;
};

// It wakes spuriously, as std::condition_variable does, so callers wait in a loop.
class CondVar {
 public:
  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }
  void wait_for(MutexLock& lock, std::chrono::nanoseconds span) {
    condition_.wait_for(lock.lock_, span);
  }
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace holdfast::base

// SPDX-License-Identifier: Apache-2.0

// base/mutex.h - std::mutex and its relatives, annotated for the thread-safety
// analysis.
//
//   base::Mutex mutex_;
//   int count_ HOLDFAST_GUARDED_BY(mutex_);
//
//   base::MutexLock lock(mutex_);
//   while (count_ == 0) changed_.wait(lock);
//   {
//     base::MutexUnlock unlock(mutex_);
//     call_the_engine();
//   }

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
  friend class MutexUnlock;
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

// Releases a mutex until the end of the scope, however that is left. It takes the mutex
// itself and not the MutexLock, which may be in a function that calls this one.
class HOLDFAST_SCOPED_CAPABILITY MutexUnlock {
 public:
  explicit MutexUnlock(Mutex& mutex) HOLDFAST_RELEASE(mutex) : mutex_(mutex.mutex_) {
    mutex.unlock();
  }
  ~MutexUnlock() HOLDFAST_RELEASE() { mutex_.lock(); }  // It takes the mutex again.
  MutexUnlock(const MutexUnlock&) = delete;
  MutexUnlock& operator=(const MutexUnlock&) = delete;

 private:
  std::mutex& mutex_;
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

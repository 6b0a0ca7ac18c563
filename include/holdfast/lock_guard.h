// SPDX-License-Identifier: Apache-2.0

// holdfast/lock_guard.h - guards that clang's thread-safety analysis understands.
//
//   holdfast::SharedMutex prices_lock(client, "prices");
//   holdfast::LockGuard guard(mutex);                // as std::scoped_lock
//   holdfast::SharedLockGuard reader(prices_lock);   // as std::shared_lock
//
// They do what the standard's guards do. The difference is that the standard's guards
// of libstdc++ have no annotations, so that clang would warn about data that they
// guard; see holdfast/thread_annotations.h.

#pragma once

#include "holdfast/thread_annotations.h"

namespace holdfast::inline v0 {

// Locks `lock`, and unlocks it at the end of the scope. `lock()` may throw; nothing is
// locked then. A guard belongs to one thread.
template <class Lockable>
class [[nodiscard]] HOLDFAST_SCOPED_CAPABILITY LockGuard {
 public:
  explicit LockGuard(Lockable& lock) HOLDFAST_ACQUIRE(lock) : lock_(lock) {
    lock_.lock();
  }
  ~LockGuard() HOLDFAST_RELEASE() { lock_.unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  Lockable& lock_;
};

// Locks the read side of `lock`, and unlocks it at the end of the scope.
template <class SharedLockable>
class [[nodiscard]] HOLDFAST_SCOPED_CAPABILITY SharedLockGuard {
 public:
  explicit SharedLockGuard(SharedLockable& lock) HOLDFAST_ACQUIRE_SHARED(lock)
      : lock_(lock) {
    lock_.lock_shared();
  }
  ~SharedLockGuard() HOLDFAST_RELEASE() { lock_.unlock_shared(); }
  SharedLockGuard(const SharedLockGuard&) = delete;
  SharedLockGuard& operator=(const SharedLockGuard&) = delete;

 private:
  SharedLockable& lock_;
};

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

// clang's analysis knows every lock of Holdfast and its guards. LOCK is one of them.
// expect: requires holding mutex 'lock' exclusively

#include "holdfast/fair_mutex.h"
#include "holdfast/lock_guard.h"
#include "holdfast/multi_lock.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/shared_mutex.h"

template <class Lock>
struct Guarded {
  Lock& lock;
  int sum HOLDFAST_GUARDED_BY(lock) = 0;

  void add() {
#ifndef MISTAKE
    holdfast::LockGuard guard(lock);
#endif
    ++sum;
  }
  void add_step_by_step() {
    lock.lock();
    ++sum;
    lock.unlock();
  }
  bool try_to_add() {
    if (!lock.try_lock()) return false;
    ++sum;
    lock.unlock();
    return true;
  }
  bool add_within(std::chrono::seconds span) {
    if (!lock.try_lock_for(span)) return false;
    ++sum;
    lock.unlock();
    return true;
  }
  bool add_until(std::chrono::steady_clock::time_point then) {
    if (!lock.try_lock_until(then)) return false;
    ++sum;
    lock.unlock();
    return true;
  }
};

template struct Guarded<holdfast::LOCK>;

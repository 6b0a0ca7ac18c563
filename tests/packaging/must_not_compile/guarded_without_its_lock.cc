// SPDX-License-Identifier: Apache-2.0

// clang's analysis knows every lock of Holdfast and its guards.
// expect: requires holding mutex

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
};

template struct Guarded<holdfast::Mutex>;
template struct Guarded<holdfast::FairMutex>;
template struct Guarded<holdfast::RecursiveMutex>;
template struct Guarded<holdfast::SharedMutex>;
template struct Guarded<holdfast::MultiLock>;

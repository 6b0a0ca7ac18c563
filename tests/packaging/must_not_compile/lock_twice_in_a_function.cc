// SPDX-License-Identifier: Apache-2.0

// A RecursiveMutex may be locked again, but clang knows no such locks: the second lock
// has to be in another function.
// expect: acquiring mutex 'mutex' that is already held

#include "holdfast/lock_guard.h"
#include "holdfast/recursive_mutex.h"

struct Ledger {
  holdfast::RecursiveMutex& mutex;
  int sum HOLDFAST_GUARDED_BY(mutex) = 0;

  void add(int by) {
    holdfast::LockGuard guard(mutex);
    sum += by;
  }
  void add_twice(int by) {
    holdfast::LockGuard guard(mutex);
#ifdef MISTAKE
    holdfast::LockGuard again(mutex);
#endif
    add(by);
    add(by);
    if (sum < 0) sum = 0;
  }
};

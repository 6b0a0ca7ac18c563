// SPDX-License-Identifier: Apache-2.0

// A lock that was tried for is held only if the call says so. LOCK is one of
// Holdfast's locks.
// expect: releasing mutex 'mutex' that was not held

#include "holdfast/fair_mutex.h"
#include "holdfast/multi_lock.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/shared_mutex.h"

void run(holdfast::LOCK& mutex) {
#ifdef MISTAKE
  if (mutex.try_lock()) return mutex.unlock();
  mutex.unlock();
#else
  if (mutex.try_lock()) mutex.unlock();
#endif
}

// SPDX-License-Identifier: Apache-2.0

// What a function locks, it unlocks on every way out. LOCK is one of Holdfast's locks.
// expect: still held|is not held on every path

#include "holdfast/fair_mutex.h"
#include "holdfast/multi_lock.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/shared_mutex.h"

bool work();

void run(holdfast::LOCK& mutex) {
  mutex.lock();
#ifdef MISTAKE
  if (!work()) return;
#endif
  mutex.unlock();
}

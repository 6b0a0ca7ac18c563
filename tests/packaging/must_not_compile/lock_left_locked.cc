// SPDX-License-Identifier: Apache-2.0

// What a function locks, it unlocks on every way out.
// expect: still held|is not held on every path

#include "holdfast/mutex.h"

bool work();

void run(holdfast::Mutex& mutex) {
  mutex.lock();
#ifdef MISTAKE
  if (!work()) return;
#endif
  mutex.unlock();
}

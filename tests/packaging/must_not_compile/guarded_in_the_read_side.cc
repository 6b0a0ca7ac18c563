// SPDX-License-Identifier: Apache-2.0

// Under the read side, data can be read and not written.
// expect: requires holding mutex 'lock' exclusively

#include "holdfast/lock_guard.h"
#include "holdfast/shared_mutex.h"

struct Prices {
  holdfast::SharedMutex& lock;
  int price HOLDFAST_GUARDED_BY(lock) = 0;

  int read() {
    holdfast::SharedLockGuard reader(lock);
#ifdef MISTAKE
    ++price;
#endif
    return price;
  }
  void write(int to) {
    holdfast::LockGuard writer(lock);
    price = to;
  }
};

// SPDX-License-Identifier: Apache-2.0

// A number among the options would be taken for something else: it has its own call.
// expect: cannot convert|could not bind

#include "holdfast/semaphore.h"

bool use(holdfast::Semaphore& semaphore) {
#ifdef MISTAKE
  return semaphore.acquire(3).has_value();
#else
  return semaphore.acquire_many(3).has_value() && semaphore.acquire({}).has_value();
#endif
}

// SPDX-License-Identifier: Apache-2.0

// Two mutex objects of one name are made by name, not by copying one.
// expect: deleted function|call to deleted

#include "holdfast/mutex.h"

void use(holdfast::Mutex& mutex) {
#ifdef MISTAKE
  holdfast::Mutex other(mutex);
#else
  holdfast::Mutex& other(mutex);
#endif
  other.lock();
}

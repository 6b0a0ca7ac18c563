// SPDX-License-Identifier: Apache-2.0

// A failed acquire cannot be overlooked.
// expect: ignoring return(ed)? value

#include "holdfast/mutex.h"

void use(holdfast::Mutex& mutex) {
#ifdef MISTAKE
  mutex.acquire();
#else
  auto hold = mutex.acquire();
#endif
}

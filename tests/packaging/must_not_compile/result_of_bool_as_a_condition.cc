// SPDX-License-Identifier: Apache-2.0

// A condition on a Result<bool> would ask whether there is an answer, not what it is.
// expect: could not convert|no viable conversion

#include "holdfast/result.h"

int use(const holdfast::Result<bool>& is_set) {
#ifdef MISTAKE
  if (is_set) return 1;
#else
  if (is_set.has_value() && *is_set) return 1;
#endif
  return 0;
}

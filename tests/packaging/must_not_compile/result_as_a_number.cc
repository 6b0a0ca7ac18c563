// SPDX-License-Identifier: Apache-2.0

// A result is a condition, not a number to add up.
// expect: cannot convert|no viable conversion

#include "holdfast/result.h"

int use(const holdfast::Result<void>& result) {
#ifdef MISTAKE
  int sum = result;
#else
  int sum = result ? 1 : 0;
#endif
  return sum;
}

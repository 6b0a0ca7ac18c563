// SPDX-License-Identifier: Apache-2.0

// Two copies of a fence would each remember half.
// expect: deleted function|deleted constructor|implicitly-deleted|implicitly deleted

#include "holdfast/fence.h"

void use(holdfast::Fence& fence) {
#ifdef MISTAKE
  holdfast::Fence other(fence);
#else
  holdfast::Fence& other(fence);
#endif
  (void)other.highest();
}

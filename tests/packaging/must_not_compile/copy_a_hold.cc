// SPDX-License-Identifier: Apache-2.0

// A hold has one owner: it can be moved, not copied.
// expect: use of deleted function|deleted|implicitly-deleted

#include <utility>

#include "holdfast/hold.h"

void pass_on(holdfast::Hold hold) {
#ifdef MISTAKE
  holdfast::Hold other(hold);
#else
  holdfast::Hold other(std::move(hold));
#endif
}

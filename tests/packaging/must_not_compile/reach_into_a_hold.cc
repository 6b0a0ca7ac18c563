// SPDX-License-Identifier: Apache-2.0

// A class that is derived from Hold sees no more of it than others do.
// expect: is private within this context|is a private member

#include "holdfast/hold.h"

struct NamedHold : holdfast::Hold {
#ifdef MISTAKE
  bool held() const { return lease_ != nullptr; }
#else
  bool held() const { return valid(); }
#endif
};

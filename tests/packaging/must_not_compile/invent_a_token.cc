// SPDX-License-Identifier: Apache-2.0

// A number is not a token: it has to be called one.
// expect: cannot convert|no viable conversion

#include <cstdint>

#include "holdfast/fence.h"

bool use(holdfast::Fence& fence, std::uint64_t order_number) {
#ifdef MISTAKE
  return fence.admit(order_number).has_value();
#else
  return fence.admit(holdfast::FencingToken{order_number}).has_value();
#endif
}

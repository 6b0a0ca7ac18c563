// SPDX-License-Identifier: Apache-2.0

// Only a primitive makes a subscription that is not empty.
// expect: is private within this context|calling a private constructor

#include <memory>

#include "holdfast/subscription.h"

holdfast::Subscription use() {
#ifdef MISTAKE
  return holdfast::Subscription(std::shared_ptr<holdfast::core::Subscriber>());
#else
  return holdfast::Subscription();
#endif
}

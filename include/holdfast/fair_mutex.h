// SPDX-License-Identifier: Apache-2.0

// holdfast/fair_mutex.h - an exclusive lock that is granted in order of arrival.
//
//   holdfast::FairMutex mutex(client, "invoices/42");
//   std::scoped_lock guard(mutex);
//
// A FairMutex can do everything that a Mutex can. The difference is the order: no
// waiter overtakes another, be it in another process or in another thread of this one.
// A waiter that dies is passed over once the engine has seen its end. Fairness has a
// price: every hand-over goes through the engine, while a Mutex may pass from thread to
// thread inside a process.

#pragma once

#include <string>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/mutex.h"

namespace holdfast::inline v0 {

// The calls are those of Mutex. On an engine that cannot keep the order of arrival,
// every call fails with Errc::unsupported. All clients must use a name in the same way,
// either as a Mutex or as a FairMutex.
class HOLDFAST_EXPORT FairMutex : public Mutex {
 public:
  FairMutex(Client client, std::string name, LeaseOptions lease = {});
};

}  // namespace holdfast::inline v0

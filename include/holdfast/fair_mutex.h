// holdfast/fair_mutex.h - an exclusive lock that is granted in order of arrival.
//
//   holdfast::FairMutex mutex(client, "invoices/42");
//   std::scoped_lock guard(mutex);
//
// Everything that can be done with a Mutex can be done with it. The difference: nobody
// overtakes, neither another process nor another thread of this one. A waiter that dies
// is passed over when the engine has seen its end. Fairness has a price: every
// hand-over goes through the engine.

#pragma once

#include <string>

#include "holdfast/client.h"
#include "holdfast/export.h"
#include "holdfast/mutex.h"

namespace holdfast {

// As Mutex. On an engine that cannot keep the order, every call gives
// Errc::unsupported. A name is either a Mutex or a FairMutex for all who use it.
class HOLDFAST_EXPORT FairMutex : public Mutex {
 public:
  FairMutex(Client client, std::string name, LeaseOptions lease = {});
};

}  // namespace holdfast

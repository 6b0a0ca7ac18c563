// SPDX-License-Identifier: Apache-2.0

#include "holdfast/fair_mutex.h"

#include <utility>

namespace holdfast::inline v0 {

FairMutex::FairMutex(Client client, std::string name, LeaseOptions lease)
    : Mutex(engine::Kind::fair_mutex, std::move(client), std::move(name), lease) {}

}  // namespace holdfast::inline v0

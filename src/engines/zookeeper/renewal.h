// engines/zookeeper/renewal.h - whether claims are still there, and for how long.

#pragma once

#include <span>

#include "engines/zookeeper/backend.h"

namespace holdfast::zookeeper {

// One round trip: a sign of life, and a look at each claim whose nodes nobody watches
// yet. From then on their end is heard, and the next renewals need not look.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until);

}  // namespace holdfast::zookeeper

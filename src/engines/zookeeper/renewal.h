// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/renewal.h - keeps the claims of a session.

#pragma once

#include <span>

#include "engines/zookeeper/backend.h"

namespace holdfast::zookeeper {

// One round trip: a heartbeat, and a check of each claim whose nodes are not watched
// yet. The check sets watches on them, so the next renewals need not check them.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until);

}  // namespace holdfast::zookeeper

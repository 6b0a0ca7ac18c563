// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/renewal.h - keeps the claims of a session.

#pragma once

#include <span>

#include "engines/zookeeper/backend.h"

namespace holdfast::zookeeper {

// Sends a heartbeat, and in the same round trip checks each claim whose nodes are not
// watched yet. The check sets watches on them, so the next renewals need not check
// them.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until);

}  // namespace holdfast::zookeeper

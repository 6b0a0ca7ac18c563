// SPDX-License-Identifier: Apache-2.0

// engines/quorum/renewal.h - renews all leases of a session, in one call to each node.

#pragma once

#include <span>

#include "engines/quorum/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// Sets the outcome of each claim: renewed at a majority, not_held when a majority is
// impossible, unavailable otherwise.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until);

}  // namespace holdfast::quorum

// engines/quorum/renewal.h - all leases of a session, in one call to each node.

#pragma once

#include <span>

#include "engines/quorum/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// Gives each stake its outcome: renewed at a majority, not_held when a majority is out
// of the question, unavailable otherwise.
void renew_all(Backend& backend, std::span<engine::Stake> stakes,
               engine::Deadline until);

}  // namespace holdfast::quorum

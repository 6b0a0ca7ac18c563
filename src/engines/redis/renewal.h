// SPDX-License-Identifier: Apache-2.0

// engines/redis/renewal.h - renews all claims of a client, in one pipelined batch for
// each server.

#pragma once

#include <span>

#include "engines/redis/backend.h"

namespace holdfast::redis {

// Sets the outcome of every claim: renewed, Errc::not_held, or unknown. A returned
// failure applies to all of them.
Result<void> renew_all(Backend& backend, std::span<engine::ClaimRef> refs,
                       engine::Deadline until);

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// engines/quorum/session.h - the waist's session, over the sessions of the nodes:
// kit::SessionBackend says what these functions do.

#pragma once

#include <memory>

#include "engines/kit/session.h"
#include "engines/quorum/backend.h"
#include "engines/quorum/listing.h"
#include "engines/quorum/renewal.h"

namespace holdfast::quorum {

engine::Traits traits_of(const Backend& backend, engine::Kind kind) noexcept;
Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address);

using QuorumSession = kit::Session<Backend>;

}  // namespace holdfast::quorum

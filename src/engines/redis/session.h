// SPDX-License-Identifier: Apache-2.0

// engines/redis/session.h - the waist's session, over one Redis server or a cluster:
// kit::SessionBackend says what these functions do.

#pragma once

#include <memory>

#include "engines/kit/session.h"
#include "engines/redis/backend.h"
#include "engines/redis/listing.h"
#include "engines/redis/renewal.h"

namespace holdfast::redis {

engine::Traits traits_of(const Backend& backend, engine::Kind kind) noexcept;
Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address);

using RedisSession = kit::Session<Backend>;

}  // namespace holdfast::redis

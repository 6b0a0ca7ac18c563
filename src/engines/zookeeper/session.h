// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/session.h - the waist's session, over a ZooKeeper ensemble:
// kit::SessionBackend says what these functions do.

#pragma once

#include <memory>

#include "engines/kit/session.h"
#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/listing.h"
#include "engines/zookeeper/renewal.h"

namespace holdfast::zookeeper {

engine::Traits traits_of(const Backend& backend, engine::Kind kind) noexcept;
Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address);

using ZookeeperSession = kit::Session<Backend>;

}  // namespace holdfast::zookeeper

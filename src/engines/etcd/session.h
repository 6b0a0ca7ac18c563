// SPDX-License-Identifier: Apache-2.0

// engines/etcd/session.h - the waist's session, over an etcd cluster:
// kit::SessionBackend says what these functions do.

#pragma once

#include <memory>

#include "engines/etcd/backend.h"
#include "engines/etcd/listing.h"
#include "engines/etcd/renewal.h"
#include "engines/kit/session.h"

namespace holdfast::etcd {

engine::Traits traits_of(const Backend& backend, engine::Kind kind) noexcept;
Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address);

using EtcdSession = kit::Session<Backend>;

}  // namespace holdfast::etcd

// engines/etcd/kinds.h - what each kind is here.

#pragma once

#include <memory>

#include "engines/etcd/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::etcd {

engine::Traits traits_of(engine::Kind kind) noexcept;

// The resource of an address. Errc::bad_name.
Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address);

}  // namespace holdfast::etcd

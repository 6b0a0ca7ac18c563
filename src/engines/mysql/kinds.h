// engines/mysql/kinds.h - which class serves which kind, and what that promises.

#pragma once

#include <memory>

#include "engines/mysql/backend.h"
#include "holdfast/engine/session.h"

namespace holdfast::mysql {

engine::Traits traits_of(const Backend& backend, engine::Kind kind) noexcept;

Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address);

}  // namespace holdfast::mysql

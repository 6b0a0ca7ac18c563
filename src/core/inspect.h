// SPDX-License-Identifier: Apache-2.0

// core/inspect.h - reads what is held, awaited or stored under a name.

#pragma once

#include <string_view>
#include <vector>

#include "holdfast/admin.h"
#include "holdfast/engine/session.h"

namespace holdfast::core {

// Reads one kind, whether it is in use or not.
Result<ResourceState> look(engine::Session& session, const engine::Address& address,
                           engine::Deadline until);

// Reads every kind and returns those that are held, awaited or stored.
Result<std::vector<ResourceState>> look_at_all(engine::Session& session,
                                               std::string_view name,
                                               engine::Deadline until);

}  // namespace holdfast::core

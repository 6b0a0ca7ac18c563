// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/resource_status.h - the state of a resource: the words of this
// program for holdfast/admin.h.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/admin.h"
#include "holdfast/client.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::cli {

using ResourceStatus = ResourceState;

// Returns the deadline for an engine's answer.
engine::Deadline soon();

bool is_claim_kind(engine::Kind kind);
std::span<const engine::Kind> claim_kinds();

// Returns the resources of exactly this name that are held or awaited.
Result<std::vector<ResourceStatus>> look_held(const Client& client,
                                              std::string_view name);

// Ends one granted claim. Errc::not_held means that it had ended by itself.
Result<void> evict(const Client& client, const engine::Address& address,
                   std::string_view owner);

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// primitives/register.h - reads and changes a register, and repeats unanswered calls.

#pragma once

#include <cstdint>
#include <optional>

#include "core/bound_resource.h"

namespace holdfast::primitives {

// Each change is applied once even if its answer is lost, because it is repeated under
// the same ticket. Errc::outcome_unknown means that the engine may have applied the
// change, but no answer came in time.
Result<engine::Value> load(const core::BoundResource& bound);
Result<engine::Value> add(const core::BoundResource& bound, std::int64_t by);
Result<engine::Exchanged> exchange(const core::BoundResource& bound,
                                   const engine::Value& from,
                                   std::optional<std::int64_t> to);

// Returns the error for a change that was sent but not answered. `why` is the failure
// of the last attempt to get an answer.
Failure unknown_outcome(const core::BoundResource& bound, const Failure& why);

}  // namespace holdfast::primitives

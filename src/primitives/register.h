// primitives/register.h - reads and changes a register, until the engine has answered.

#pragma once

#include <cstdint>
#include <optional>

#include "core/bound_resource.h"

namespace holdfast::primitives {

// Each change is made once, even if its answer is lost on its way: it is repeated under
// one ticket. Errc::outcome_unknown: the engine may have made the change, and no answer
// came in time.
Result<engine::Value> load(const core::BoundResource& bound);
Result<engine::Value> add(const core::BoundResource& bound, std::int64_t by);
Result<engine::Exchanged> exchange(const core::BoundResource& bound,
                                   const engine::Value& from,
                                   std::optional<std::int64_t> to);

// What a caller is told when a change was sent, no answer came, and the last attempt to
// get one failed with `why`.
Failure unknown_outcome(const core::BoundResource& bound, const Failure& why);

}  // namespace holdfast::primitives

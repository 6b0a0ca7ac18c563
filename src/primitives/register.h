// primitives/register.h - reads and changes a register, until the engine has answered.

#pragma once

#include <cstdint>
#include <optional>

#include "core/bound.h"

namespace holdfast::primitives {

// Each change is made once, even if its answer is lost on its way.
Result<engine::Value> load(const core::Bound& bound);
Result<engine::Value> add(const core::Bound& bound, std::int64_t by);
Result<engine::Exchanged> exchange(const core::Bound& bound, const engine::Value& from,
                                   std::optional<std::int64_t> to);

}  // namespace holdfast::primitives

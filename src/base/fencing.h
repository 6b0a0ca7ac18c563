// SPDX-License-Identifier: Apache-2.0

// base/fencing.h - says which kinds can be fenced at all.

#pragma once

#include "holdfast/engine/claim.h"

namespace holdfast::base {

// A kind can be fenced if its holders, or its writers, follow one another: the larger
// token is the later one. The holders of a semaphore and the parties of a double
// barrier hold at the same time, and a register has no holder.
constexpr bool can_fence(engine::Kind kind) noexcept {
  using engine::Kind;
  return kind == Kind::mutex || kind == Kind::fair_mutex ||
         kind == Kind::shared_mutex || kind == Kind::election;
}

}  // namespace holdfast::base

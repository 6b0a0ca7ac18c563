// SPDX-License-Identifier: Apache-2.0

// primitives/ask_async.h - asks a register without a thread that waits.

#pragma once

#include <utility>

#include "core/retry_call.h"
#include "primitives/bound_primitive.h"

namespace holdfast::primitives {

// Asks as `ask` of primitives/register.h does.
template <class Ask>
void ask_async(const BoundPrimitive& primitive, Ask question,
               Completion<typename Ask::Answer> done) {
  using Answer = typename Ask::Answer;
  if (const auto& why = primitive.bind_error()) {
    return core::complete_soon<Answer>(primitive.state(), std::move(done), *why);
  }
  core::retry_async<Answer>(primitive.state(), primitive.bound(), std::move(question),
                            std::move(done));
}

}  // namespace holdfast::primitives

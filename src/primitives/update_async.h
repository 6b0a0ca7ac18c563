// SPDX-License-Identifier: Apache-2.0

// primitives/update_async.h - changes a register by compare and swap, without a thread
// that waits.

#pragma once

#include <utility>

#include "core/call.h"
#include "primitives/bound_primitive.h"
#include "primitives/optimistic_loop.h"

namespace holdfast::primitives {

// An operation of core/call.h, which keeps what an OptimisticLoop refers to.
class UpdateCall {
 public:
  UpdateCall(core::BoundResourcePtr bound, WaitOptions options,
             OptimisticLoop::Next next)
      : bound_(std::move(bound)),
        options_(std::move(options)),
        next_(std::move(next)),
        loop_(*bound_, options_, next_) {}
  Result<core::WaitLoop::Step> step(const engine::Waker& waker) {
    return loop_.step(waker);
  }
  Result<Change> finish(const Result<void>& ended) { return loop_.finish(ended); }
  std::string_view name() const noexcept { return bound_->name(); }

 private:
  const core::BoundResourcePtr bound_;
  const WaitOptions options_;
  const OptimisticLoop::Next next_;
  OptimisticLoop loop_;
};

inline void update_async(const BoundPrimitive& primitive, OptimisticLoop::Next next,
                         const WaitOptions& options, Completion<Change> done) {
  if (const auto& why = primitive.bind_error()) {
    return core::complete_soon<Change>(primitive.state(), std::move(done), *why);
  }
  const auto& bound = primitive.bound();
  core::start_call<Change, UpdateCall>(primitive.state(), bound->bounded(),
                                       std::move(done), bound, options,
                                       std::move(next));
}

}  // namespace holdfast::primitives

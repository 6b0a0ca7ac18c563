// SPDX-License-Identifier: Apache-2.0

// primitives/thread_claims.h - which sides of a shared mutex each thread has locked.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>

#include "base/mutex.h"
#include "core/client_state.h"
#include "core/lease.h"

namespace holdfast::primitives {

// All SharedMutex objects of one name and client share one. A thread has one claim at
// the engine, whichever sides it has locked and how often. The class is safe for
// concurrent use.
class ThreadClaims final : public core::SharedState {
 public:
  explicit ThreadClaims(core::BoundResourcePtr bound) : bound_(std::move(bound)) {}

  const core::BoundResourcePtr& bound() const noexcept { return bound_; }

  // Adds one level of the side that `request` names. Errc::would_deadlock means that a
  // reader asked for the write side, and Errc::not_held that the thread's hold was lost
  // and it has not left yet.
  Result<void> enter(const core::AcquireRequest& request);

  // Removes one level. Errc::not_owner means that the thread does not have that side.
  Result<void> leave(engine::Mode mode) noexcept;

  // Returns the lease of the calling thread, or null if it has none.
  std::shared_ptr<core::Lease> lease() const noexcept;

  bool idle() const noexcept override;

 private:
  struct Levels {
    std::size_t writes = 0;
    std::size_t reads = 0;
    std::shared_ptr<core::Lease> lease;
    std::size_t& of(engine::Mode mode) noexcept {
      return mode == engine::Mode::exclusive ? writes : reads;
    }
  };

  const core::BoundResourcePtr bound_;
  mutable base::Mutex mutex_;
  std::map<std::uint64_t, Levels> threads_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::primitives

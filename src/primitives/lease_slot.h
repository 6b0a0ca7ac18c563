// SPDX-License-Identifier: Apache-2.0

// primitives/lease_slot.h - the lease of a Mutex, which any thread may give up.
//
// A Mutex has a slot where its holds cannot be light (primitives/light_lock.h).
//
// A lease can be lost while its thread still works, and another thread may then take
// the slot. The earlier hold is *displaced*, and its thread still calls `give_up` once.
// Each `give_up` first cancels one displaced hold; only the last one releases. So a
// lock may be held longer than needed, but is never released early.

#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "base/mutex.h"
#include "core/lease.h"

namespace holdfast::primitives {

// The owner keeps the client's state alive. There may be very many slots, so they share
// a few mutexes. The destructor releases the lease. The class is safe for concurrent
// use.
class LeaseSlot {
 public:
  explicit LeaseSlot(core::BoundResourcePtr bound) noexcept;
  LeaseSlot(const LeaseSlot&) = delete;
  LeaseSlot& operator=(const LeaseSlot&) = delete;

  const core::BoundResourcePtr& bound() const noexcept { return bound_; }

  Result<void> take(const core::AcquireRequest& request);

  // Makes what came of an acquisition the present lease.
  Result<void> adopt(const Result<core::LeaseStart>& start, const LeaseOptions& lease);

  // Errc::not_held means that there is no lease, or that it had been lost.
  Result<void> give_up(core::Confirm confirm) noexcept;

  // These are about the present lease. Without one the token is empty, and `lost` has
  // been requested.
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  // Returns whether the present lease is valid as far as this process knows.
  bool intact() const noexcept;

 private:
  base::Mutex& mutex() const noexcept;
  std::shared_ptr<core::Lease> lease() const noexcept;

  const core::BoundResourcePtr bound_;
  std::shared_ptr<core::Lease> lease_ HOLDFAST_GUARDED_BY(mutex());
  std::uint32_t displaced_ HOLDFAST_GUARDED_BY(mutex()) = 0;
};

}  // namespace holdfast::primitives

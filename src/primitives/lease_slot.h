// primitives/lease_slot.h - room for one present lease, taken and given up by different
// threads.
//
// What a Mutex is made of, where its holds are not light (primitives/light_lock.h).
//
// Displaced holds. A lease can be lost while its thread still works; another thread may
// then take the same slot. Each later `give_up` first cancels one displaced hold; only
// the last one releases. So a lock may be held longer than needed, never released
// early.

#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "base/mutex.h"
#include "core/lease.h"

namespace holdfast::primitives {

// Safe for concurrent use. The owner keeps the client's state alive. There may be very
// many of them: they share a few mutexes. Its end releases what is held.
class LeaseSlot {
 public:
  explicit LeaseSlot(core::BoundPtr bound) noexcept;
  LeaseSlot(const LeaseSlot&) = delete;
  LeaseSlot& operator=(const LeaseSlot&) = delete;

  const core::BoundPtr& bound() const noexcept { return bound_; }

  Result<void> take(const core::AcquireRequest& request);

  // Errc::not_held: there is no lease, or it had been lost.
  Result<void> give_up(core::Confirm confirm) noexcept;

  // Of the present lease; without one, empty and requested.
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  // Whether the present lease is still good, as far as this process knows.
  bool intact() const noexcept;

 private:
  base::Mutex& mutex() const noexcept;
  std::shared_ptr<core::Lease> lease() const noexcept;

  const core::BoundPtr bound_;
  std::shared_ptr<core::Lease> lease_ HOLDFAST_GUARDED_BY(mutex());
  std::uint32_t displaced_ HOLDFAST_GUARDED_BY(mutex()) = 0;
};

}  // namespace holdfast::primitives

// SPDX-License-Identifier: Apache-2.0

// primitives/light_lock.h - a hold without a lease: the shortest way to lock.
//
// A Mutex uses a LightLock where grants do not end by time and threads may ask the
// engine directly, as on `local`. To take and give up a free lock costs two virtual
// calls and two atomic operations, but no clock, allocation, mutex or shared_ptr.
//
// Only a lease (core/lease.h) can answer `lost`, so the first such call makes the
// present hold a lease. Displaced holds are counted as in primitives/lease_slot.h.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/mutex.h"
#include "core/client_state.h"
#include "core/lease.h"

namespace holdfast::primitives {

// The owner keeps the client's state alive. The destructor releases the hold. The class
// is safe for concurrent use.
class LightLock final : public core::LeaseRegistry::Revocable {
 public:
  // Returns whether holds of this resource with this lease can be light.
  static bool fits(const core::BoundResource& bound,
                   const LeaseOptions& lease) noexcept;

  explicit LightLock(core::BoundResourcePtr bound);
  ~LightLock();

  const core::BoundResourcePtr& bound() const noexcept { return bound_; }

  // Makes one attempt and returns whether it took the lock. Otherwise call `take`.
  bool take_at_once() noexcept;

  // REQUIRES: `fits` is true for the lease of the request.
  Result<void> take(const core::AcquireRequest& request);

  // Makes what came of an acquisition the present hold.
  Result<void> adopt(const Result<core::LeaseStart>& start);

  // Errc::not_held means that nothing is held, or that the hold had been lost.
  Result<void> give_up(core::Confirm confirm) noexcept;

  // These are about the present hold. Without one the token is empty, and `lost` has
  // been requested.
  FencingToken token() const noexcept;
  std::stop_token lost() noexcept;

  // Returns whether the present hold is valid as far as this process knows.
  bool intact() const noexcept;

  void revoke(std::vector<core::BoundClaim>& claims) noexcept override;

 private:
  // The word is `ticket << 12 | number of displaced holds`. Zero means that nothing is
  // held. A ticket of all ones means that the hold is `lease_`; the mutex is locked to
  // change to or from that state.
  using Word = std::uint64_t;
  static constexpr Word kDisplaced = 0xFFF;
  static constexpr int kTicketShift = 12;
  static constexpr Word kLeased = ~Word{0} >> kTicketShift;

  core::ClientState& client() const noexcept { return bound_->client(); }
  base::Mutex& mutex() const noexcept;
  static bool occupied(Word word) noexcept { return word >> kTicketShift != 0; }
  static bool is_lease(Word word) noexcept { return word >> kTicketShift == kLeased; }
  static engine::Claim claim_of(Word word) noexcept;
  static Word succeed(Word before, Word ticket) noexcept;

  void abandon(const engine::Claim& claim, const Failure& why) noexcept;
  bool settle(engine::Ticket ticket, FencingToken token) noexcept;
  Word settle_over_lease(Word ticket) noexcept;
  Result<void> drop(Word word) noexcept;
  Result<void> give_up_lease(core::Confirm confirm) noexcept;
  std::shared_ptr<core::Lease> lease() const noexcept;
  std::shared_ptr<core::Lease> make_lease() noexcept;

  const core::BoundResourcePtr bound_;
  const bool measured_;  // whether the client has metrics, which are told of each hold
  std::atomic<Word> word_{0};
  std::atomic<std::uint64_t> token_{0};
  std::shared_ptr<core::Lease> lease_ HOLDFAST_GUARDED_BY(mutex());
};

}  // namespace holdfast::primitives

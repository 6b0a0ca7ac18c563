// primitives/light_lock.h - a hold without a lease: the shortest way to lock.
//
// What a Mutex is made of, where grants do not end by time and threads may ask the
// engine directly, as on `local`. Taking and giving up a free lock is two virtual calls
// and two atomic operations, without a clock, an allocation, a mutex or a shared_ptr.
//
// The first question that only a lease can answer, `lost`, makes the present hold a
// lease (core/lease.h). Displaced holds are counted as in primitives/lease_slot.h.

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

// Safe for concurrent use. The owner keeps the client's state alive. Its end releases
// what is held.
class LightLock final : public core::LeaseRegistry::Member {
 public:
  // Whether holds of this resource with this lease can be light.
  static bool fits(const core::BoundResource& bound,
                   const LeaseOptions& lease) noexcept;

  explicit LightLock(core::BoundPtr bound);
  ~LightLock();

  const core::BoundPtr& bound() const noexcept { return bound_; }

  // One attempt on the shortest way. True: taken. False: nothing was done; use `take`.
  bool take_at_once() noexcept;

  // REQUIRES: `fits` the lease.
  Result<void> take(const core::AcquireRequest& request);

  // Errc::not_held: nothing is held, or the hold had been lost.
  Result<void> give_up(core::Confirm confirm) noexcept;

  // Of the present hold; without one, empty and requested.
  FencingToken token() const noexcept;
  std::stop_token lost() noexcept;

  // Whether the present hold is still good, as far as this process knows.
  bool intact() const noexcept;

  void revoke(std::vector<core::BoundClaim>& claims) noexcept override;

 private:
  // ticket << 12 | displaced holds. Zero: nothing is held. A ticket of all ones: the
  // hold is `lease_`, and the mutex is locked to go from or to that state.
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

  const core::BoundPtr bound_;
  const bool measured_;  // metrics want to know
  std::atomic<Word> word_{0};
  std::atomic<std::uint64_t> token_{0};
  std::shared_ptr<core::Lease> lease_ HOLDFAST_GUARDED_BY(mutex());
};

}  // namespace holdfast::primitives

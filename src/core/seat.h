// core/seat.h - room for one present hold, taken and given up by different threads.
//
// What Mutex and RecursiveMutex are made of. Where grants do not end by time and
// threads may ask the engine directly, a hold is *light*: taking and giving up a free
// seat is two virtual calls and two atomic operations, without a clock, an allocation,
// a mutex or a shared_ptr. Any other hold is a Grip.
//
// Displaced holds. A hold can be lost while its thread still works; another thread may
// then take the same seat. The first one's `give_up` must not end the second one's
// hold: the seat counts those that were displaced, and each later `give_up` first pays
// for one of them. Whoever comes last releases: a hold may last too long, never too
// short.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/mutex.h"
#include "core/grip.h"
#include "core/holdings.h"

namespace holdfast::core {

// Safe for concurrent use. The owner keeps the hub alive.
class Seat final : public Holding {
 public:
  explicit Seat(BoundPtr bound);
  ~Seat();  // gives up what is held

  const BoundPtr& bound() const noexcept { return bound_; }

  // One attempt on the shortest way, for a lease with `fits_light`. True: taken. False:
  // nothing was done; use `take`.
  bool take_at_once() noexcept;
  static bool fits_light(const LeaseOptions& lease) noexcept {
    return lease.renewed && lease.cap.is_forever() && lease.ttl.count() >= 0;
  }

  Result<void> take(const Want& want);

  // Errc::not_held: nobody sits here, or the hold had been lost.
  Result<void> give_up(Confirm confirm = Confirm::yes) noexcept;

  // Of the present hold; without one, empty and requested.
  FencingToken token() const noexcept;
  std::stop_token lost() const noexcept;

  // Whether the present hold is still good, as far as this process knows.
  bool intact() const noexcept;

  void revoke(std::vector<BoundClaim>& claims) noexcept override;

 private:
  // ticket << 12 | displaced << 1 | watched. Zero: nobody. A ticket of all ones: the
  // hold is `Extras::grip`, and whoever goes from or to that state has the mutex.
  using Word = std::uint64_t;
  static constexpr Word kWatched = 1;
  static constexpr Word kOneDisplaced = 2;
  static constexpr Word kDisplaced = 0xFFE;
  static constexpr int kTicketShift = 12;
  static constexpr Word kGripTicket = ~Word{0} >> kTicketShift;

  Hub& hub() const noexcept { return bound_->hub(); }
  static bool occupied(Word word) noexcept { return word >> kTicketShift != 0; }
  static bool is_grip(Word word) noexcept {
    return word >> kTicketShift == kGripTicket;
  }
  static engine::Claim claim_of(Word word) noexcept;
  static Word succeed(Word before, Word ticket) noexcept;

  void abandon(const engine::Claim& claim, const Failure& why) noexcept;
  bool settle(engine::Ticket ticket, FencingToken token) noexcept;
  Word settle_over_grip(Word ticket) noexcept;
  void settle_grip(std::shared_ptr<Grip> grip) noexcept;
  Result<void> give_up_light(Word word) noexcept;
  Result<void> give_up_grip(Confirm confirm) noexcept;
  bool grip_intact() const noexcept;
  std::shared_ptr<Tenure> watch() const;
  Result<void> end_watch(Word word) noexcept;

  const BoundPtr bound_;
  engine::Resource& resource_;
  const bool light_;     // holds can be
  const bool measured_;  // metrics want to know

  mutable std::atomic<Word> word_{0};
  std::atomic<std::uint64_t> token_{0};  // of a light hold

  // What a light hold that nobody watches does without.
  struct Extras {
    base::Mutex mutex;
    std::shared_ptr<Tenure> tenure HOLDFAST_GUARDED_BY(mutex);  // of a watched one
    std::shared_ptr<Grip> grip HOLDFAST_GUARDED_BY(mutex);
  };
  Extras& extras() const;  // made on first need
  mutable std::atomic<Extras*> extras_{nullptr};
};

}  // namespace holdfast::core

// core/lease.h - a granted claim, from its grant to its end.
//
//            take
//             |
//             v    release
//            held ----------> released   its holder has given it up
//             |
//             +-------------> lost       its deadline has passed, or the engine says
//             |                          that the claim is gone: the renewer saw it
//             +-------------> revoked    the client was closed
//
// What is asked of a lease in each state:
//
//              token()    valid_for()      lost()               release()
//   held       its token  the time left    not requested        gives it up
//   released   its token  zero             requested            nothing
//   lost       its token  zero             requested, or soon   Errc::not_held
//   revoked    its token  zero             requested            Errc::not_held

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/mutex.h"
#include "core/acquire.h"
#include "core/bound_resource.h"
#include "holdfast/hold.h"

namespace holdfast::core {

// A stop_token that has been requested: of a lease that is none.
std::stop_token already_lost();

// Whether the caller waits to hear that the claim is gone, also where the engine sees
// to that by itself.
enum class Confirm : bool { no, yes };

// Gives a claim up at the engine. An error: the renewer repeats the drop, and its end
// is not known. Errc::not_held: there was nothing any more.
Result<void> drop_claim(const BoundPtr& bound, const engine::Claim& claim,
                        Confirm confirm = Confirm::yes) noexcept;

// Everything that a closing client takes back: a list through its members, so that
// entering it allocates nothing. Safe for concurrent use.
class LeaseRegistry {
 public:
  class Member {
   public:
    // Takes the claim away, if there is one, and adds it to `claims`, to be dropped.
    // Must not block and must not call back into the core: the registry is locked.
    virtual void revoke(std::vector<BoundClaim>& claims) noexcept = 0;

   protected:
    Member() = default;
    ~Member() = default;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    friend class LeaseRegistry;
    Member* next_ = nullptr;
    Member* previous_ = nullptr;
  };

  void add(Member& member) noexcept;
  void remove(Member& member) noexcept;
  std::vector<BoundClaim> revoke_all() noexcept;

 private:
  base::Mutex mutex_;
  Member* first_ HOLDFAST_GUARDED_BY(mutex_) = nullptr;
};

// What a Hold points to. Releases when destroyed, unless the process was forked. All
// but `amend` is safe for concurrent use. There may be very many of them: what signals
// the loss is only made when `lost` is called, and a lease that does not end by time is
// made known to the renewer by the first question about it.
class Lease final : public LeaseRegistry::Member {
 public:
  // Waits for the grant. `keep` may be null where the owner keeps the client's state
  // alive.
  static Result<std::shared_ptr<Lease>> take(std::shared_ptr<ClientState> keep,
                                             const BoundPtr& bound,
                                             const AcquireRequest& request);
  static Hold to_hold(std::shared_ptr<Lease> lease) noexcept {
    return Hold(std::move(lease));
  }

  // Throws if it ends by time and the system has no thread to renew it.
  Lease(std::shared_ptr<ClientState> keep, const BoundPtr& bound,
        const LeaseStart& start, const LeaseOptions& options);
  ~Lease();

  FencingToken token() const noexcept { return token_; }
  std::stop_token lost() noexcept;
  std::chrono::nanoseconds valid_for() noexcept;

  // Whether it is still good, as far as this process knows without asking.
  bool intact() const noexcept;

  // As it is renewed and dropped: without what matters only until it is granted.
  engine::Claim claim() const noexcept;

  // As LeaseRenewer::amend.
  Result<void> amend(const engine::Claim& wanted) noexcept;

  // Errc::not_held: it had been lost or revoked. Repeated: nothing happens.
  Result<void> release(Confirm confirm = Confirm::yes) noexcept;

  void revoke(std::vector<BoundClaim>& claims) noexcept override;

  // For the renewer, which knows a lease from `adopt` until it is lost or forgotten.

  const BoundPtr& bound() const noexcept { return bound_; }
  std::uint64_t turn() const noexcept { return turn_; }
  std::uint64_t id() const noexcept { return id_; }

  // The engine gave it `lease`, counted from `sent`; its holder has it until
  // `deadline`.
  void extend(Clock::time_point sent, engine::Lease lease,
              Clock::time_point deadline) noexcept;

  // False: its holder has released it, or it is lost already.
  bool lose() noexcept;

  // While the claim is being changed at the engine, a renewal could name it wrongly: it
  // waits, and one that was under way is not believed if `changes()` has changed.
  void begin_change() noexcept { ++changes_; }
  void end_change(const engine::Claim& as) noexcept;
  bool changing() const noexcept { return changes_.load() % 2 != 0; }
  std::uint16_t changes() const noexcept { return changes_.load(); }

  // What `lost()` was made of; without a state: it was never called.
  // REQUIRES: no longer held.
  std::stop_source loss_source();

 private:
  enum class State : std::uint8_t { held, lost, revoked, released };

  ClientState& client() const noexcept { return bound_->client(); }
  bool held() const noexcept { return state_.load() == State::held; }
  void ensure_kept() noexcept;
  std::chrono::nanoseconds time_left() const noexcept;
  bool pass_to_neighbour() noexcept;
  void leave_gate() noexcept;

  const std::shared_ptr<ClientState> keep_;
  const BoundPtr bound_;
  const LeaseOptions options_;
  const FencingToken token_;
  const engine::Ticket ticket_;
  const engine::Lease asked_;            // for, at every renewal
  const Clock::time_point since_;        // of the first grant of this claim
  const std::uint64_t turn_;             // of the gate
  const std::uint64_t id_;               // for the renewer
  std::atomic<Clock::time_point> sent_;  // of the last renewal
  std::atomic<engine::Lease> given_;     // by it
  std::stop_source source_;              // guarded by a stripe
  std::atomic<Clock::rep> deadline_;
  std::atomic<std::uint32_t> permits_;
  const std::uint32_t spare_tokens_;
  std::atomic<std::uint16_t> changes_;
  std::atomic<engine::Mode> mode_;
  const bool one_token_;
  std::atomic<State> state_;
  std::atomic<bool> kept_;  // the renewer was told of it
};

}  // namespace holdfast::core

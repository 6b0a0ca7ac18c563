// SPDX-License-Identifier: Apache-2.0

// core/lease.h - a granted claim, from its grant to its end.
//
//   take -> held -+-> released   its holder gave it up
//                 |
//                 +-> lost       the renewer saw that its deadline had passed, or that
//                 |              the engine no longer had such a claim
//                 |
//                 +-> revoked    the client was closed
//
// The answers of a lease in each state:
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
#include <optional>
#include <stop_token>
#include <vector>

#include "base/mutex.h"
#include "core/acquire.h"
#include "core/bound_resource.h"
#include "holdfast/hold.h"

namespace holdfast::core {

class LeaseStorage;

// Returns a stop_token that has been requested, for what holds no lease.
std::stop_token already_lost();

// Whether the caller waits until the engine has confirmed a drop. `no` makes a
// difference only where the engine applies requests in order and sees the drop through
// by itself.
enum class Confirm : bool { no, yes };

// Gives a claim up at the engine. Errc::not_held means that the claim was gone already.
// After a transient error the renewer repeats the drop until it is confirmed.
Result<void> drop_claim(const BoundResourcePtr& bound, const engine::Claim& claim,
                        Confirm confirm = Confirm::yes) noexcept;

// Does what is left after the engine's answer to such a drop.
void settle_drop(const BoundResourcePtr& bound, const engine::Claim& claim,
                 const Result<void>& dropped) noexcept;

// Returns `released`. If the hold of `bound` was lost or belongs to another owner, or
// if the engine said nothing, the error gets a sentence that names the lock.
Result<void> explain_release(const BoundResource& bound,
                             Result<void> released) noexcept;

// Everything that a client takes back when it is closed. The list runs through its
// members, so that adding one allocates nothing. The class is safe for concurrent use.
class LeaseRegistry {
 public:
  class Revocable {
   public:
    // Ends the member's claim, if it has one, and adds it to `claims`, to be dropped.
    // It must not block or call the core, because the registry is locked.
    virtual void revoke(std::vector<BoundClaim>& claims) noexcept = 0;

   protected:
    Revocable() noexcept;
    ~Revocable() = default;
    Revocable(const Revocable&) = delete;
    Revocable& operator=(const Revocable&) = delete;

   private:
    friend class LeaseRegistry;
    Revocable* next_ = nullptr;
    Revocable* previous_ = nullptr;
  };

  void add(Revocable& member) noexcept;
  void remove(Revocable& member) noexcept;
  std::vector<BoundClaim> revoke_all() noexcept;

 private:
  base::Mutex mutex_;
  Revocable* first_ HOLDFAST_GUARDED_BY(mutex_) = nullptr;
};

// A Hold points to a lease. The destructor releases it, except in a child of fork().
// It is safe for concurrent use. There may be very many leases:
// the stop source is made only when `lost` is called, and the renewer learns of a lease
// that does not end by time only when it is first asked about.
class Lease final : public LeaseRegistry::Revocable {
 public:
  // Waits for the grant. `client_state` may be null where the owner keeps the client's
  // state alive.
  static Result<std::shared_ptr<Lease>> take(std::shared_ptr<ClientState> client_state,
                                             const BoundResourcePtr& bound,
                                             const AcquireRequest& request);

  // Makes a lease of what came of an acquisition of `bound`, in `storage` if it is not
  // null.
  static Result<std::shared_ptr<Lease>> begin(
      std::shared_ptr<ClientState> client_state, const BoundResourcePtr& bound,
      const Result<LeaseStart>& start, const LeaseOptions& options,
      std::shared_ptr<LeaseStorage> storage = nullptr);

  // Throws if the lease ends by time and the system has no thread or no memory to renew
  // it.
  Lease(std::shared_ptr<ClientState> client_state, const BoundResourcePtr& bound,
        const LeaseStart& start, const LeaseOptions& options);
  ~Lease();

  FencingToken token() const noexcept { return token_; }
  std::stop_token lost() noexcept;
  std::chrono::nanoseconds valid_for() noexcept;

  // Returns what `take` was given as `client_state`.
  const std::shared_ptr<ClientState>& client_state() const noexcept {
    return client_state_;
  }

  // Returns whether the lease is valid as far as this process knows; the engine is not
  // asked.
  bool intact() const noexcept;

  // Returns the claim as it is renewed and dropped, without the fields that matter only
  // until it is granted.
  engine::Claim claim() const noexcept;

  // Changes the claim to what `wanted` says: another mode or payload, or fewer permits.
  // It keeps its ticket and its lease. Changes of one lease are made one after the
  // other. Errc::not_held: it is gone. Errc::bad_argument: another call has changed the
  // claim that `wanted` was made of. The second form does not block; `self` is the
  // lease.
  Result<void> amend(const engine::Claim& wanted) noexcept;
  static void amend_async(const std::shared_ptr<Lease>& self,
                          const engine::Claim& wanted, Completion<void> done);

  // Returns why the claim cannot be changed, if it cannot.
  Result<void> prepare_change();

  // Errc::not_held means that it had been lost or revoked. A second call does nothing.
  Result<void> release(Confirm confirm = Confirm::yes) noexcept;

  // The two parts of `release` (core/release_call.h). `begin_release` returns the
  // outcome if there is nothing to drop. Otherwise `drop` follows, or `end_release`
  // with the engine's answer to a drop of `claim`.
  std::optional<Result<void>> begin_release() noexcept;
  Result<void> drop(Confirm confirm) noexcept;
  Result<void> end_release(Result<void> dropped) noexcept;

  void revoke(std::vector<BoundClaim>& claims) noexcept override;

  // The rest is for the renewer, which knows a lease from `adopt` until it is lost or
  // forgotten.

  const BoundResourcePtr& bound() const noexcept { return bound_; }
  std::uint64_t turn() const noexcept { return turn_; }
  std::uint64_t id() const noexcept { return id_; }

  // Notes that the engine granted `lease`, counted from `sent`. For the holder it ends
  // at `deadline`.
  void extend(Clock::time_point sent, engine::LeaseTime lease,
              Clock::time_point deadline) noexcept;

  // Returns false if the holder has released it, or if it is lost already.
  bool lose() noexcept;

  // While the claim is being changed at the engine, a renewal could still name it as it
  // was before. So renewals wait for the end of the change, and the outcome of one that
  // was under way is ignored if `changes()` is another number than before it.
  void begin_change() noexcept { ++changes_; }
  void end_change(const engine::Claim& as) noexcept;
  bool changing() const noexcept { return changes_.load() % 2 != 0; }
  std::uint16_t changes() const noexcept { return changes_.load(); }

  // Returns the source of the tokens that `lost()` returned. It has no state if
  // `lost()` was never called. REQUIRES: the lease is no longer held.
  std::stop_source loss_source();

 private:
  enum class State : std::uint8_t { held, lost, revoked, released };

  ClientState& client() const noexcept { return bound_->client(); }
  bool held() const noexcept { return state_.load() == State::held; }
  void ensure_adopted() noexcept;
  std::chrono::nanoseconds time_left() const noexcept;
  bool hand_over() noexcept;
  void leave_gate() noexcept;

  const std::shared_ptr<ClientState> client_state_;
  const BoundResourcePtr bound_;
  const std::chrono::milliseconds ttl_;  // as it was asked for; may be zero
  const FencingToken token_;
  const engine::Ticket ticket_;
  const engine::LeaseTime requested_;       // the lease that every renewal asks for
  const Clock::time_point since_;           // time of the first grant of this claim
  const std::uint64_t turn_;                // of the gate
  const std::uint64_t id_;                  // for the renewer
  std::atomic<Clock::time_point> sent_;     // time of the last successful request
  std::atomic<engine::LeaseTime> granted_;  // the lease that it granted
  std::stop_source source_;                 // guarded by a stripe
  std::atomic<Clock::rep> deadline_;
  std::atomic<std::uint32_t> permits_;
  const std::uint32_t spare_tokens_;  // zero if the lease may not be handed over
  std::atomic<std::uint16_t> changes_;
  std::atomic<engine::Mode> mode_;
  const bool one_token_;
  std::atomic<State> state_;
  std::atomic<bool> adopted_;  // whether the renewer was told of this lease
};

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "primitives/light_lock.h"

#include <utility>
#include <variant>

#include "base/ask_engine.h"
#include "base/stripes.h"
#include "base/transient.h"
#include "holdfast/lock_reason.h"

namespace holdfast::primitives {
namespace {

constinit base::Stripes light_stripes;

}  // namespace

bool LightLock::fits(const core::BoundResource& bound,
                     const LeaseOptions& lease) noexcept {
  return !bound.leased() && bound.gate() == nullptr && lease.renewed &&
         lease.cap.is_forever() && lease.ttl.count() >= 0;
}

LightLock::LightLock(core::BoundResourcePtr bound)
    : bound_(std::move(bound)), measured_(client().metrics() != nullptr) {
  client().leases().add(*this);
}

LightLock::~LightLock() {
  if (client().forked()) return;
  while (word_.load() != 0) (void)give_up(core::Confirm::yes);
  client().leases().remove(*this);
}

base::Mutex& LightLock::mutex() const noexcept { return light_stripes.of(this); }

engine::Claim LightLock::claim_of(Word word) noexcept {
  engine::Claim claim;
  claim.ticket = engine::Ticket{word >> kTicketShift};
  return claim;
}

LightLock::Word LightLock::succeed(Word before, Word ticket) noexcept {
  Word after = ticket << kTicketShift | (before & kDisplaced);
  if (occupied(before) && (before & kDisplaced) != kDisplaced) ++after;
  return after;
}

bool LightLock::take_at_once() noexcept {
  if (measured_ || !client().usable()) return false;
  if (LockReason::innermost() != nullptr) [[unlikely]]
    return false;  // a reason goes into the payload, which only `take` sends
  engine::Claim claim;
  claim.ticket = client().next_ticket();
  const engine::Waker none;
  const auto verdict = base::ask_engine(
      [&] { return bound_->resource().attempt(claim, none, engine::Deadline::min()); });
  if (!verdict) [[unlikely]] {
    abandon(claim, verdict.error());
    return false;
  }
  const auto* const granted = std::get_if<engine::Granted>(&*verdict);
  return granted != nullptr && settle(claim.ticket, granted->token);
}

// The engine may have the claim. After a transient error the drop is left to the
// renewer, because the caller has already waited for the attempt.
void LightLock::abandon(const engine::Claim& claim, const Failure& why) noexcept {
  if (base::is_transient(why)) {
    client().renewer().drop_later({bound_, claim});
  } else {
    (void)core::drop_claim(bound_, claim);
  }
}

Result<void> LightLock::take(const core::AcquireRequest& request) {
  return adopt(core::acquire(bound_, request));
}

Result<void> LightLock::adopt(const Result<core::LeaseStart>& start) {
  if (!start) return start.error();
  if (!settle(start->claim.ticket, start->token))
    return client().why_unusable(bound_->name());
  return {};
}

// Returns false if the client was closed meanwhile; the claim has then been given up.
bool LightLock::settle(engine::Ticket ticket, FencingToken token) noexcept {
  const auto number = static_cast<Word>(ticket);
  Word before = word_.load(std::memory_order_relaxed);
  do {
    if (is_lease(before)) [[unlikely]] {
      before = settle_over_lease(number);
      break;
    }
  } while (!word_.compare_exchange_weak(before, succeed(before, number)));
  token_.store(token.value, std::memory_order_relaxed);
  if (occupied(before)) [[unlikely]]
    (void)drop(before);
  if (client().usable()) [[likely]]
    return true;
  (void)give_up(core::Confirm::yes);
  return false;
}

// Returns the light hold that was there before, or zero if it was the lease.
LightLock::Word LightLock::settle_over_lease(Word ticket) noexcept {
  std::shared_ptr<core::Lease> displaced;
  base::MutexLock lock(mutex());
  Word before = word_.load();
  while (!word_.compare_exchange_weak(before, succeed(before, ticket))) {
  }
  std::swap(lease_, displaced);
  return is_lease(before) ? 0 : before;
}

Result<void> LightLock::give_up(core::Confirm confirm) noexcept {
  if (client().forked()) return Errc::forked;
  Word before = word_.load(std::memory_order_relaxed);
  Word after = 0;
  do {
    if (before == 0) return Errc::not_held;
    if (is_lease(before)) return give_up_lease(confirm);
    after = (before & kDisplaced) != 0 ? before - 1 : 0;
  } while (!word_.compare_exchange_weak(before, after));
  if (after != 0) return {};
  return drop(before);
}

Result<void> LightLock::drop(Word word) noexcept {
  if (measured_) client().metrics()->released(bound_->name());
  // The first drop does not wait. If it fails, the second one does, and leaves what
  // fails again to the renewer.
  auto dropped = bound_->drop(claim_of(word), engine::Deadline::min());
  if (!dropped) [[unlikely]]
    return core::drop_claim(bound_, claim_of(word));
  return dropped;
}

Result<void> LightLock::give_up_lease(core::Confirm confirm) noexcept {
  std::shared_ptr<core::Lease> lease;
  {
    base::MutexLock lock(mutex());
    const Word word = word_.load();
    if (!is_lease(word)) {  // another hold has displaced the lease
      lock.unlock();
      auto again = give_up(confirm);
      lock.lock();
      return again;
    }
    if ((word & kDisplaced) != 0) {
      word_.store(word - 1);
      return {};
    }
    word_.store(0);
    std::swap(lease_, lease);
  }
  return lease->release(confirm);
}

FencingToken LightLock::token() const noexcept {
  if (client().forked() || !occupied(word_.load())) return {};
  return {token_.load(std::memory_order_relaxed)};
}

std::stop_token LightLock::lost() noexcept {
  if (client().forked()) return core::already_lost();
  const auto present = make_lease();
  if (present == nullptr) return core::already_lost();
  // A client that was closed meanwhile did not revoke the lease if it was not yet in
  // the registry.
  if (!client().usable()) (void)present->release();
  return present->lost();
}

// Returns the lease of the present hold; the first call makes it.
std::shared_ptr<core::Lease> LightLock::make_lease() noexcept {
  base::MutexLock lock(mutex());
  Word word = word_.load();
  do {
    if (!occupied(word)) return nullptr;
    if (is_lease(word)) return lease_;
  } while (!word_.compare_exchange_weak(word,
                                        kLeased << kTicketShift | (word & kDisplaced)));
  core::LeaseStart start;
  start.claim = claim_of(word);
  start.token = {token_.load(std::memory_order_relaxed)};
  lease_ = std::make_shared<core::Lease>(nullptr, bound_, start, LeaseOptions{});
  return lease_;
}

std::shared_ptr<core::Lease> LightLock::lease() const noexcept {
  base::MutexLock lock(mutex());
  return lease_;
}

bool LightLock::intact() const noexcept {
  if (!client().usable()) return false;
  const Word word = word_.load(std::memory_order_relaxed);
  if (!is_lease(word)) [[likely]]
    return occupied(word);
  const auto present = lease();
  return present != nullptr && present->intact();
}

// A hold that has become a lease is in the registry itself and is revoked there.
void LightLock::revoke(std::vector<core::BoundClaim>& claims) noexcept {
  Word word = word_.load();
  do {
    if (!occupied(word) || is_lease(word)) return;
  } while (!word_.compare_exchange_weak(word, 0));
  claims.push_back({bound_, claim_of(word)});
}

}  // namespace holdfast::primitives

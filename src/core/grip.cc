#include "core/grip.h"

#include <exception>
#include <utility>

#include "core/gate.h"
#include "core/hub.h"

namespace holdfast::core {

Result<std::shared_ptr<Grip>> Grip::take(std::shared_ptr<Hub> keep,
                                         const BoundPtr& bound, const Want& want) {
  const auto grant = acquire(bound, want);
  if (!grant) return grant.error();
  try {
    auto grip = std::make_shared<Grip>(std::move(keep), bound, *grant, want.lease);
    // A client that was closed meanwhile may have overlooked us.
    if (!bound->hub().usable()) return bound->hub().why_unusable();
    return grip;
  } catch (const std::exception& error) {  // no memory, or no thread for the keeper
    (void)give_up(bound, grant->claim);
    if (bound->gate() != nullptr) bound->gate()->leave(grant->turn);
    return Failure(Errc::full, error.what());
  }
}

Grip::Grip(std::shared_ptr<Hub> keep, BoundPtr bound, const Grant& grant,
           const LeaseOptions& lease)
    : keep_(std::move(keep)), bound_(std::move(bound)), lease_(lease), grant_(grant) {
  Hub& hub = bound_->hub();
  if (grant_.lease != engine::kNoLease || bound_->leased()) {
    const auto terms = terms_for(lease_, hub.ttl(), bound_->leased());
    base::MutexLock lock(mutex_);
    tenure_ = hub.keeper().adopt(bound_, grant_, *terms);
  }
  hub.holdings().add(*this);
}

Grip::~Grip() {
  if (bound_->hub().forked()) return;
  (void)release();
  bound_->hub().holdings().remove(*this);
}

std::shared_ptr<Tenure> Grip::tenure() const {
  Hub& hub = bound_->hub();
  base::MutexLock lock(mutex_);
  if (tenure_ == nullptr) {
    constexpr bool kAskedLate = true;
    tenure_ = hub.keeper().adopt(bound_, grant_, Terms{}, kAskedLate);
  }
  return tenure_;
}

std::stop_token Grip::lost() const noexcept {
  if (bound_->hub().forked() || state_.load() != State::held) return already_lost();
  return tenure()->lost_token();
}

std::chrono::nanoseconds Grip::valid_for() const noexcept {
  if (bound_->hub().forked() || state_.load() != State::held) return {};
  return tenure()->valid_for();
}

Result<void> Grip::release() noexcept {
  Hub& hub = bound_->hub();
  if (hub.forked()) return Errc::forked;
  const State before = state_.exchange(State::released);
  if (before == State::released) return {};
  if (before == State::revoked) return Errc::not_held;

  std::shared_ptr<Tenure> tenure;
  {
    base::MutexLock lock(mutex_);
    tenure = tenure_;
  }
  if (tenure != nullptr) {
    const auto kept = hub.keeper().forget(*tenure);
    if (!kept) {  // the keeper may not have come to the gate yet
      if (bound_->gate() != nullptr) bound_->gate()->leave(grant_.turn);
      if (!hub.usable()) (void)give_up(bound_, grant_.claim);
      return Errc::not_held;
    }
    grant_.sent = kept->sent;
    grant_.lease = kept->lease;
    hub.notifier().post(tenure->source());
  }
  if (hub.metrics() != nullptr) hub.metrics()->released(bound_->name());
  if (pass_to_neighbour()) return {};
  auto dropped = give_up(bound_, grant_.claim);
  if (bound_->gate() != nullptr) bound_->gate()->leave(grant_.turn);
  return dropped;
}

bool Grip::pass_to_neighbour() noexcept {
  if (bound_->gate() == nullptr || grant_.turn == 0) return false;
  return bound_->gate()->hand_over(grant_, lease_,
                                   deadline_of(grant_.sent, grant_.lease));
}

void Grip::revoke(std::vector<BoundClaim>& claims) noexcept {
  State expected = State::held;
  if (!state_.compare_exchange_strong(expected, State::revoked)) return;
  claims.push_back({bound_, grant_.claim});
}

}  // namespace holdfast::core

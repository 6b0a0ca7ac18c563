#include "core/grip.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/stripes.h"
#include "core/gate.h"
#include "core/hub.h"

namespace holdfast::core {
namespace {

// How long a grant may be handed from thread to thread while other processes wait.
constexpr std::chrono::nanoseconds kLongestHandOver = std::chrono::milliseconds(50);

constinit base::Stripes grip_stripes;

}  // namespace

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

Grip::Grip(std::shared_ptr<Hub> keep, const BoundPtr& bound, const Grant& grant,
           const LeaseOptions& lease)
    : keep_(std::move(keep)),
      lease_(lease),
      token_(grant.token),
      since_(grant.since),
      spare_tokens_(grant.spare_tokens),
      one_token_(grant.one_token),
      tenure_(bound, grant.claim, grant.turn) {
  if (grant.lease != engine::kNoLease || bound->leased()) {
    const auto terms =
        terms_for(lease_, hub().ttl(), bound->leased(), bound->sessional());
    if (!hub().keeper().adopt(tenure_, grant, *terms) && hub().usable()) {
      throw std::runtime_error("the system has no thread to renew \"" +
                               std::string(bound->name()) + "\"");
    }
    kept_.store(true);
  }
  hub().holdings().add(*this);
}

Grip::~Grip() {
  if (hub().forked()) return;
  (void)release(Confirm::no);
  hub().holdings().remove(*this);
  if (kept_.load()) (void)hub().keeper().forget(tenure_);
}

// A grant that does not end by time is made known to the keeper by the first question
// about it. If it cannot be kept, the tenure is lost, and that is the answer.
void Grip::ensure_kept() const {
  if (kept_.load()) return;
  base::MutexLock lock(grip_stripes.of(this));
  if (kept_.load()) return;
  constexpr bool kAskedLate = true;
  Grant grant;
  grant.claim = tenure_.claim();
  (void)hub().keeper().adopt(tenure_, grant, Terms{}, kAskedLate);
  kept_.store(true);
}

std::stop_token Grip::lost() const noexcept {
  if (hub().forked() || state_.load() != State::held) return already_lost();
  ensure_kept();
  return tenure_.lost_token();
}

std::chrono::nanoseconds Grip::valid_for() const noexcept {
  if (hub().forked() || state_.load() != State::held) return {};
  ensure_kept();
  return tenure_.valid_for();
}

bool Grip::intact() const noexcept {
  if (!hub().usable() || state_.load() != State::held) return false;
  return !kept_.load() || tenure_.valid_for().count() > 0;
}

Result<void> Grip::amend(const engine::Claim& wanted) noexcept {
  if (hub().forked()) return Errc::forked;
  if (state_.load() != State::held) return Errc::not_held;
  ensure_kept();
  return hub().keeper().amend(tenure_, wanted);
}

Result<void> Grip::release(Confirm confirm) noexcept {
  if (hub().forked()) return Errc::forked;
  const State before = state_.exchange(State::released);
  if (before == State::released) return {};
  if (before == State::revoked) return Errc::not_held;

  Keeper::Kept kept{Clock::time_point{}, engine::kNoLease};
  if (kept_.load()) {
    const auto last = hub().keeper().forget(tenure_);
    if (!last) {  // the keeper may not have come to the gate yet
      if (bound()->gate() != nullptr) bound()->gate()->leave(tenure_.turn());
      if (!hub().usable()) (void)give_up(bound(), tenure_.claim());
      return Errc::not_held;
    }
    kept = *last;
    hub().notifier().post(tenure_.who_asked());
  }
  if (hub().metrics() != nullptr) hub().metrics()->released(bound()->name());
  if (pass_to_neighbour(kept)) return {};
  auto dropped = give_up(bound(), tenure_.claim(), confirm);
  if (bound()->gate() != nullptr) bound()->gate()->leave(tenure_.turn());
  return dropped;
}

bool Grip::pass_to_neighbour(const Keeper::Kept& kept) noexcept {
  if (bound()->gate() == nullptr || tenure_.turn() == 0) return false;
  const Grant grant{.claim = tenure_.claim(),
                    .token = token_,
                    .lease = kept.lease,
                    .sent = kept.sent,
                    .since = since_,
                    .spare_tokens = spare_tokens_,
                    .one_token = one_token_,
                    .turn = tenure_.turn()};
  const auto longest =
      std::min<std::chrono::nanoseconds>(kLongestHandOver, hub().ttl() / 3);
  const auto end = std::min(deadline_of(kept.sent, kept.lease), since_ + longest);
  return bound()->gate()->hand_over(grant, lease_, end);
}

void Grip::revoke(std::vector<BoundClaim>& claims) noexcept {
  State expected = State::held;
  if (!state_.compare_exchange_strong(expected, State::revoked)) return;
  claims.push_back({bound(), tenure_.claim()});
}

}  // namespace holdfast::core

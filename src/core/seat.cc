#include "core/seat.h"

#include <utility>
#include <variant>

#include "base/transient.h"
#include "core/hub.h"
#include "holdfast/lock_reason.h"

namespace holdfast::core {

Seat::Seat(BoundPtr bound)
    : bound_(std::move(bound)),
      resource_(bound_->resource()),
      light_(!bound_->leased() && bound_->gate() == nullptr),
      measured_(hub().metrics() != nullptr) {
  hub().holdings().add(*this);
}

Seat::~Seat() {
  const std::unique_ptr<Extras> last(extras_.load());
  if (hub().forked()) return;
  while (word_.load() != 0) (void)give_up();
  hub().holdings().remove(*this);
  if (last == nullptr) return;
  base::MutexLock lock(last->mutex);
  if (last->tenure != nullptr) (void)hub().keeper().forget(*last->tenure);
}

engine::Claim Seat::claim_of(Word word) noexcept {
  engine::Claim claim;
  claim.ticket = engine::Ticket{word >> kTicketShift};
  return claim;
}

Seat::Word Seat::succeed(Word before, Word ticket) noexcept {
  Word after = ticket << kTicketShift | (before & kDisplaced);
  if (occupied(before) && (before & kDisplaced) != kDisplaced) after += kOneDisplaced;
  return after;
}

bool Seat::take_at_once() noexcept {
  if (!light_ || measured_ || !hub().usable()) return false;
  if (LockReason::innermost() != nullptr) [[unlikely]]
    return false;  // the shortest way has no room for what it says
  engine::Claim claim;
  claim.ticket = hub().next_ticket();
  const engine::Waker nobody;
  const auto verdict = resource_.attempt(claim, nobody, engine::Deadline::min());
  if (!verdict) [[unlikely]] {
    abandon(claim, verdict.error());
    return false;
  }
  const auto* const granted = std::get_if<engine::Granted>(&*verdict);
  return granted != nullptr && settle(claim.ticket, granted->token);
}

// The place may exist. It is not waited for: the caller has waited for the attempt.
void Seat::abandon(const engine::Claim& claim, const Failure& why) noexcept {
  if (base::is_transient(why)) {
    hub().keeper().doom({bound_, claim});
  } else {
    (void)core::give_up(bound_, claim);
  }
}

Result<void> Seat::take(const Want& want) {
  if (!light_ || !fits_light(want.lease)) {
    auto grip = Grip::take(nullptr, bound_, want);
    if (!grip) return std::move(grip).error();
    settle_grip(*std::move(grip));
    return {};
  }
  const auto grant = acquire(bound_, want);
  if (!grant) return grant.error();
  if (!settle(grant->claim.ticket, grant->token)) return hub().why_unusable();
  return {};
}

// False: the client was closed meanwhile, and the claim is given back.
bool Seat::settle(engine::Ticket ticket, FencingToken token) noexcept {
  const auto number = static_cast<Word>(ticket);
  Word before = word_.load(std::memory_order_relaxed);
  do {
    if (is_grip(before)) [[unlikely]] {
      before = settle_over_grip(number);
      break;
    }
  } while (!word_.compare_exchange_weak(before, succeed(before, number)));
  token_.store(token.value, std::memory_order_relaxed);
  if (occupied(before)) [[unlikely]]
    (void)give_up_light(before);
  if (hub().usable()) [[likely]]
    return true;
  (void)give_up();
  return false;
}

Result<void> Seat::give_up(Confirm confirm) noexcept {
  if (hub().forked()) return Errc::forked;
  Word before = word_.load(std::memory_order_relaxed);
  Word after = 0;
  do {
    if (before == 0) return Errc::not_held;
    if (is_grip(before)) return give_up_grip(confirm);
    after = (before & kDisplaced) != 0 ? before - kOneDisplaced : 0;
  } while (!word_.compare_exchange_weak(before, after));
  if (after != 0) return {};
  return give_up_light(before);
}

Result<void> Seat::give_up_light(Word word) noexcept {
  if (measured_) hub().metrics()->released(bound_->name());
  if ((word & kWatched) != 0) [[unlikely]] {
    if (auto live = end_watch(word); !live) return live;
  }
  auto dropped = resource_.drop(claim_of(word), engine::Deadline::min());
  if (!dropped) [[unlikely]]
    return core::give_up(bound_, claim_of(word));
  return dropped;
}

bool Seat::intact() const noexcept {
  if (!hub().usable()) return false;
  const Word word = word_.load(std::memory_order_relaxed);
  if ((word & kWatched) == 0 && !is_grip(word)) [[likely]]
    return occupied(word);
  if (!is_grip(word)) {
    const auto tenure = watch();
    return tenure != nullptr && tenure->live();
  }
  return grip_intact();
}

}  // namespace holdfast::core

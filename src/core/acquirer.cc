#include "core/acquirer.h"

#include <exception>
#include <utility>
#include <variant>

#include "core/gate.h"
#include "core/renewal_schedule.h"

namespace holdfast::core {
namespace {

constexpr std::uint32_t kTokensToReserve = 32;

}  // namespace

Result<Grant> Acquirer::acquire() {
  if (stopped()) return Errc::cancelled;
  start();
  claim_.permits = want_.permits;
  claim_.capacity = want_.capacity;
  claim_.mode = want_.mode;
  claim_.payload = want_.payload;

  Gate* const gate = want_.gate ? bound_->gate() : nullptr;
  if (gate == nullptr) return ask_safely();
  auto turn = gate->enter(want_.lease, wait(), until(), stop());
  if (!turn) return std::move(turn).error();
  if (turn->handed) return *turn->handed;
  if (bound_->kind() == engine::Kind::mutex) claim_.tokens = kTokensToReserve;
  auto grant = ask_safely();
  if (grant) {
    grant->turn = turn->number;
  } else {
    gate->leave(turn->number);
  }
  return grant;
}

// Where attempts are cheap, the first one has no waker and leaves no place: most
// callers then never touch a signal.
Result<Grant> Acquirer::ask_safely() {
  claim_.ticket = bound_->hub().next_ticket();
  claim_.lease = terms_.lease;
  const bool armed = (bound_->leased() || want_.tried) && !wait().is_zero();
  try {
    auto asked = run(armed);
    if (!asked) return abandon(std::move(asked).error());
    return grant_;
  } catch (const std::exception& error) {  // no memory, or no thread for the keeper
    return abandon(Failure(Errc::full, error.what()));
  }
}

Result<WaitLoop::Pause> Acquirer::ask(const engine::Waker& waker) {
  const bool timed = terms_.timed(bound_->leased()) || claim_.tokens > 1;
  placed_ = placed_ || waker != nullptr;
  for (;;) {
    const auto sent = timed || bound_->bounded() ? Clock::now() : Clock::time_point{};
    auto verdict = bound_->resource().attempt(claim_, waker, call_deadline(sent));
    if (!verdict) {
      placed_ = true;  // perhaps
      return std::move(verdict).error();
    }
    const auto* const granted = std::get_if<engine::Granted>(&*verdict);
    if (granted == nullptr) {
      return Pause(std::get<engine::Blocked>(*verdict).retry_after);
    }
    if (accept(*granted, sent)) return Pause();
  }
}

// False: its lease was over before it came.
bool Acquirer::accept(const engine::Granted& granted, Clock::time_point sent) {
  const bool over = granted.lease != engine::kNoLease &&
                    Clock::now() >= deadline_of(sent, granted.lease);
  if (over) {
    (void)give_up(bound_, claim_);
    claim_.ticket = bound_->hub().next_ticket();
    return false;
  }
  grant_ = {.claim = claim_,
            .token = granted.token,
            .lease = granted.lease,
            .sent = sent,
            .since = sent,
            .spare_tokens = granted.tokens > 0 ? granted.tokens - 1 : 0,
            .one_token = granted.one_token};
  return true;
}

Failure Acquirer::abandon(Failure why) {
  Hub& hub = bound_->hub();
  if (hub.forked() || !placed_) return why;
  claim_.payload = {};  // it need not live longer than the call
  if (troubled()) {
    hub.keeper().doom({bound_, claim_});
  } else {
    (void)give_up(bound_, claim_);
  }
  return why;
}

}  // namespace holdfast::core

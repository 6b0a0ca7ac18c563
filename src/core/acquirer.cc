#include "core/acquirer.h"

#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "base/durations.h"
#include "base/identity.h"
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
  payload_ = want_.payload;
  if (payload_.empty()) payload_ = base::payload_with_reason(bound_->hub().payload());
  claim_.payload = payload_;

  if (want_.gate) gate_ = bound_->gate();
  if (gate_ == nullptr) return ask_safely();
  auto turn = enter();
  if (!turn) return std::move(turn).error();
  if (turn->handed) return *turn->handed;
  turn_ = turn->number;
  // What says something of its thread is not handed over to another one.
  if (bound_->kind() == engine::Kind::mutex && payload_.empty()) {
    claim_.tokens = kTokensToReserve;
  }
  auto grant = ask_safely();
  if (grant) {
    grant->turn = turn_;
  } else {
    gate_->leave(turn_);
  }
  return grant;
}

Result<Gate::Turn> Acquirer::enter() {
  constexpr auto kAtOnce = engine::Deadline::min();
  Gate::Limits limits{until(), until()};
  if (until() != engine::Deadline::max() || wait().is_zero()) {
    limits.answer = call_deadline(Clock::now());
    if (wait().is_zero()) limits.turn = kAtOnce;
  }
  auto turn = gate_->enter(want_.lease, limits, stop());
  if (!turn && turn.error().code == Errc::unavailable) {
    return Failure(Errc::unavailable,
                   "it is not known whether \"" + std::string(bound_->name()) +
                       "\" is held: the engine has not answered another thread of "
                       "this process that asks for it; try again later");
  }
  return turn;
}

// The uncontended way costs one more lock of the gate: `granted`.
void Acquirer::learn(Gate::Answer answer) noexcept {
  if (gate_ == nullptr || std::exchange(learnt_, answer) == answer) return;
  gate_->learn(turn_, answer);
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
  const auto sent = timed || bound_->bounded() ? Clock::now() : Clock::time_point{};
  auto verdict = bound_->resource().attempt(claim_, waker, call_deadline(sent));
  if (!verdict) {
    placed_ = true;  // perhaps
    learn(Gate::Answer::failed);
    return std::move(verdict).error();
  }
  const auto* const granted = std::get_if<engine::Granted>(&*verdict);
  if (granted == nullptr) {
    learn(Gate::Answer::blocked);
    return Pause(std::get<engine::Blocked>(*verdict).retry_after);
  }
  const bool over = granted->lease != engine::kNoLease &&
                    Clock::now() >= deadline_of(sent, granted->lease);
  learn(over ? Gate::Answer::failed : Gate::Answer::granted);
  if (over) return refuse_late(granted->lease);
  accept(*granted, sent);
  return Pause();
}

void Acquirer::accept(const engine::Granted& granted, Clock::time_point sent) {
  grant_ = {.claim = claim_,
            .token = granted.token,
            .lease = granted.lease,
            .sent = sent,
            .since = sent,
            .spare_tokens = granted.tokens > 0 ? granted.tokens - 1 : 0,
            .one_token = granted.one_token};
  grant_.claim.payload = {};  // it need not live longer than the call
}

// The loop takes it for an engine that does not answer in time: it tries again under a
// new ticket, with pauses, within the caller's limit.
Failure Acquirer::refuse_late(engine::Lease lease) {
  (void)give_up(bound_, claim_);
  placed_ = false;
  claim_.ticket = bound_->hub().next_ticket();
  return {Errc::unavailable, "the grant of \"" + std::string(bound_->name()) +
                                 "\" arrived after its lease of " +
                                 base::spell_duration(lease) +
                                 " was over; ask for a longer lease"};
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

// SPDX-License-Identifier: Apache-2.0

#include "core/acquisition.h"

#include <exception>
#include <utility>
#include <variant>

#include "base/durations.h"
#include "base/identity.h"
#include "core/client_state.h"
#include "core/explain.h"
#include "core/lease.h"
#include "core/renewal_schedule.h"
#include "holdfast/lock_reason.h"

namespace holdfast::core {
namespace {

// So many threads of a process may hold the lock one after the other before another
// process gets it. A switch of processes costs as much as some dozens of such holds.
constexpr std::uint32_t kTokensToReserve = 64;

// There is no memory, or no thread for the renewer.
Failure no_room(const std::exception& error) { return {Errc::full, error.what()}; }

}  // namespace

Acquisition::Acquisition(const BoundResourcePtr& bound, const AcquireRequest& request)
    : bound_(bound),
      request_(request),
      loop_(*bound, request.wait, request.stop),
      payload_(request.payload) {
  ClientState& client = bound->client();
  if (!client.usable()) {
    refusal_ = client.why_unusable();
    return;
  }
  const auto terms =
      terms_for(request.lease, client.ttl(), bound->leased(), bound->session_bound());
  if (!terms) {
    refusal_ = terms.error();
    return;
  }
  if (client.metrics() != nullptr) begin_ = Clock::now();
  loop_.start();
  if (payload_.empty() && LockReason::innermost() != nullptr) {
    payload_ = base::payload_with_reason(client.payload());
  }
  start_.terms = *terms;
  start_.claim = {.lease = terms->lease,
                  .permits = request.permits,
                  .capacity = request.capacity,
                  .mode = request.mode,
                  .payload = payload_};
  if (request.gate) gate_ = bound->gate();
}

Result<LeaseStart> Acquisition::acquire() {
  if (refusal_) return *refusal_;
  return finish(wait());
}

Result<void> Acquisition::wait() {
  if (loop_.stopped()) return Errc::cancelled;
  if (gate_ != nullptr) {
    const auto turn =
        gate_->enter(request_.lease, gate_limits(), request_.stop, !payload_.empty());
    if (!turn) return explain_gate(turn.error());
    if (take_turn(*turn)) return {};
  }
  try {
    return loop_.run(first(),
                     [this](const engine::Waker& waker) { return poll_once(waker); });
  } catch (const std::exception& error) {
    return no_room(error);
  }
}

Result<WaitLoop::Step> Acquisition::step(const engine::Waker& waker) {
  if (refusal_) return *refusal_;
  if (gate_ != nullptr && turn_ == 0) {
    auto next = step_to_gate(waker);
    if (!next || next->done || turn_ == 0) return next;
  }
  const bool bare = !std::exchange(asked_, true) && first() == WaitLoop::First::bare;
  try {
    return loop_.step(bare ? nullptr : waker,
                      [this](const engine::Waker& armed) { return poll_once(armed); });
  } catch (const std::exception& error) {
    return no_room(error);
  }
}

// The step is done if a grant was handed over with the turn.
Result<WaitLoop::Step> Acquisition::step_to_gate(const engine::Waker& waker) {
  if (!queued_) {
    if (loop_.stopped()) return Errc::cancelled;
    queued_.emplace(request_.lease, !payload_.empty(), gate_limits());
  }
  const auto seen =
      gate_->look(queued_->waiter, queued_->limits, waker.get(), loop_.stopped());
  if (!seen) return explain_gate(seen.error());
  if (seen->turn)
    return WaitLoop::Step{take_turn(*seen->turn), engine::Deadline::min()};
  if (waker != nullptr) loop_.ring_on_stop(waker);
  return WaitLoop::Step{false, seen->until};
}

Gate::Limits Acquisition::gate_limits() const noexcept {
  constexpr auto kAtOnce = engine::Deadline::min();
  Gate::Limits limits{loop_.until(), loop_.until()};
  if (loop_.until() != engine::Deadline::max() || request_.wait.is_zero()) {
    limits.answer = loop_.call_deadline(Clock::now());
    if (request_.wait.is_zero()) limits.turn = kAtOnce;
  }
  return limits;
}

Failure Acquisition::explain_gate(Failure why) const {
  if (why.code != Errc::unavailable) return why;
  return {Errc::unavailable,
          "it is not known whether \"" + std::string(bound_->name()) +
              "\" is held: the engine has not answered another thread of this process "
              "that asks for it; try again later"};
}

// Returns whether a grant came with the turn.
bool Acquisition::take_turn(const Gate::Turn& turn) noexcept {
  turn_ = turn.number;
  if (turn.handed) {
    start_ = *turn.handed;
    return true;
  }
  // A claim whose payload tells of its thread is not handed over to another thread.
  if (bound_->kind() == engine::Kind::mutex && payload_.empty()) {
    start_.claim.tokens = kTokensToReserve;
  }
  return false;
}

// Where attempts are cheap, the first one has no waker and leaves no claim.
WaitLoop::First Acquisition::first() const noexcept {
  const bool queue = (bound_->leased() || request_.tried) && !request_.wait.is_zero();
  return queue ? WaitLoop::First::with_waker : WaitLoop::First::bare;
}

// Only a change is passed on, so that the uncontended path locks the gate once more:
// for `granted`.
void Acquisition::learn(Gate::Answer answer) noexcept {
  if (gate_ == nullptr || std::exchange(learnt_, answer) == answer) return;
  gate_->learn(turn_, answer);
}

Result<WaitLoop::Pause> Acquisition::poll_once(const engine::Waker& waker) {
  engine::Claim& claim = start_.claim;
  if (claim.ticket == engine::Ticket::none) {
    claim.ticket = bound_->client().next_ticket();
  }
  const bool timed = start_.terms.timed(bound_->leased()) || claim.tokens > 1;
  placed_ = placed_ || waker != nullptr;
  const auto sent = timed || bound_->bounded() ? Clock::now() : Clock::time_point{};
  auto verdict = bound_->resource().attempt(claim, waker, loop_.call_deadline(sent));
  if (!verdict) {
    placed_ = true;  // the request may have been applied before the answer was lost
    learn(Gate::Answer::failed);
    return std::move(verdict).error();
  }
  const auto* const granted = std::get_if<engine::Granted>(&*verdict);
  if (granted == nullptr) {
    learn(Gate::Answer::blocked);
    return WaitLoop::Pause(std::get<engine::Blocked>(*verdict).retry_after);
  }
  // The answer may have been so long on its way that the lease is over for its holder.
  const bool over = granted->lease != engine::kNoLease &&
                    Clock::now() >= deadline_of(sent, granted->lease);
  learn(over ? Gate::Answer::failed : Gate::Answer::granted);
  if (over) return refuse_late(granted->lease);
  accept(*granted, sent);
  return WaitLoop::Pause();
}

void Acquisition::accept(const engine::Granted& granted,
                         Clock::time_point sent) noexcept {
  start_.token = granted.token;
  start_.lease = granted.lease;
  start_.sent = sent;
  start_.since = sent;
  start_.spare_tokens = granted.tokens > 0 ? granted.tokens - 1 : 0;
  start_.one_token = granted.one_token;
  start_.turn = turn_;
}

// The loop treats a late grant as an engine that does not answer in time: it tries
// again under a new ticket, with pauses, within the caller's limit.
Failure Acquisition::refuse_late(engine::Lease lease) {
  (void)drop_claim(bound_, start_.claim);
  placed_ = false;
  start_.claim.ticket = engine::Ticket::none;
  return {Errc::unavailable, "the grant of \"" + std::string(bound_->name()) +
                                 "\" arrived after its lease of " +
                                 base::spell_duration(lease) +
                                 " was over; ask for a longer lease"};
}

void Acquisition::abandon() noexcept {
  ClientState& client = bound_->client();
  if (client.forked() || !placed_) return;
  // The caller has waited for an engine that does not answer, and does not wait again.
  if (loop_.troubled()) {
    client.renewer().drop_later({bound_, start_.claim});
  } else {
    (void)drop_claim(bound_, start_.claim);
  }
}

Result<LeaseStart> Acquisition::finish(const Result<void>& ended) {
  if (refusal_) return *refusal_;
  start_.claim.payload = {};  // the text need not live longer than the call
  Result<LeaseStart> outcome(start_);
  if (!ended) {
    abandon();
    if (turn_ != 0) gate_->leave(turn_);
    outcome = ended.error();
    if (request_.explain && ended.error().code == Errc::timed_out) {
      outcome = Failure(Errc::timed_out, explain_timeout(*bound_, request_.wait));
    }
  }
  measure(outcome);
  return outcome;
}

void Acquisition::measure(const Result<LeaseStart>& outcome) const {
  Metrics* const metrics = bound_->client().metrics();
  if (metrics == nullptr) return;
  if (outcome) {
    metrics->acquired(bound_->name(), Clock::now() - begin_);
  } else {
    metrics->not_acquired(bound_->name(), outcome.error().code);
  }
}

}  // namespace holdfast::core

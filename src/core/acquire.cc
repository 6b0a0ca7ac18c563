// SPDX-License-Identifier: Apache-2.0

#include "core/acquire.h"

#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "base/durations.h"
#include "base/identity.h"
#include "core/client_state.h"
#include "core/explain.h"
#include "core/gate.h"
#include "core/lease.h"
#include "core/renewal_schedule.h"
#include "core/wait_loop.h"
#include "holdfast/lock_reason.h"

namespace holdfast::core {
namespace {

// So many threads of a process may hold the lock one after the other before another
// process gets it. A switch of processes costs as much as some dozens of such holds.
constexpr std::uint32_t kTokensToReserve = 64;

// One acquisition, from the first attempt to its end. Its claim is either returned by
// `acquire` or given up.
class Acquirer {
 public:
  Acquirer(const BoundResourcePtr& bound, const AcquireRequest& request,
           const LeaseTerms& terms) noexcept
      : bound_(bound),
        request_(request),
        terms_(terms),
        loop_(*bound, request.wait, request.stop) {}

  Result<LeaseStart> acquire();

 private:
  Result<Gate::Turn> enter();
  Result<LeaseStart> ask_safely();
  void learn(Gate::Answer answer) noexcept;
  Result<WaitLoop::Pause> poll_once(const engine::Waker& waker);
  void accept(const engine::Granted& granted, Clock::time_point sent);
  Failure refuse_late(engine::Lease lease);
  Failure abandon(Failure why);

  const BoundResourcePtr& bound_;
  const AcquireRequest& request_;
  const LeaseTerms& terms_;
  WaitLoop loop_;
  std::string payload_;  // of the claim; empty means the session's
  engine::Claim claim_{};
  LeaseStart start_{};
  bool placed_ = false;  // whether the engine may know the claim
  Gate* gate_ = nullptr;
  std::uint64_t turn_ = 0;  // of the gate
  Gate::Answer learnt_ = Gate::Answer::none;
};

Result<LeaseStart> Acquirer::acquire() {
  if (loop_.stopped()) return Errc::cancelled;
  loop_.start();
  claim_.permits = request_.permits;
  claim_.capacity = request_.capacity;
  claim_.mode = request_.mode;
  payload_ = request_.payload;
  if (payload_.empty() && LockReason::innermost() != nullptr) {
    payload_ = base::payload_with_reason(bound_->client().payload());
  }
  claim_.payload = payload_;

  if (request_.gate) gate_ = bound_->gate();
  if (gate_ == nullptr) return ask_safely();
  auto turn = enter();
  if (!turn) return std::move(turn).error();
  if (turn->handed) return *turn->handed;
  turn_ = turn->number;
  // A claim whose payload tells of its thread is not handed over to another thread.
  if (bound_->kind() == engine::Kind::mutex && payload_.empty()) {
    claim_.tokens = kTokensToReserve;
  }
  auto start = ask_safely();
  if (start) {
    start->turn = turn_;
  } else {
    gate_->leave(turn_);
  }
  return start;
}

Result<Gate::Turn> Acquirer::enter() {
  constexpr auto kAtOnce = engine::Deadline::min();
  Gate::Limits limits{loop_.until(), loop_.until()};
  if (loop_.until() != engine::Deadline::max() || request_.wait.is_zero()) {
    limits.answer = loop_.call_deadline(Clock::now());
    if (request_.wait.is_zero()) limits.turn = kAtOnce;
  }
  auto turn = gate_->enter(request_.lease, limits, request_.stop);
  if (!turn && turn.error().code == Errc::unavailable) {
    return Failure(Errc::unavailable,
                   "it is not known whether \"" + std::string(bound_->name()) +
                       "\" is held: the engine has not answered another thread of "
                       "this process that asks for it; try again later");
  }
  return turn;
}

// Only a change is passed on, so that the uncontended path locks the gate once more:
// for `granted`.
void Acquirer::learn(Gate::Answer answer) noexcept {
  if (gate_ == nullptr || std::exchange(learnt_, answer) == answer) return;
  gate_->learn(turn_, answer);
}

// Where attempts are cheap, the first one has no waker and leaves no claim.
Result<LeaseStart> Acquirer::ask_safely() {
  claim_.ticket = bound_->client().next_ticket();
  claim_.lease = terms_.lease;
  const bool queue = (bound_->leased() || request_.tried) && !request_.wait.is_zero();
  try {
    auto asked =
        loop_.run(queue ? WaitLoop::First::with_waker : WaitLoop::First::bare,
                  [this](const engine::Waker& waker) { return poll_once(waker); });
    if (!asked) return abandon(std::move(asked).error());
    return start_;
  } catch (const std::exception& error) {  // no memory, or no thread for the renewer
    return abandon(Failure(Errc::full, error.what()));
  }
}

Result<WaitLoop::Pause> Acquirer::poll_once(const engine::Waker& waker) {
  const bool timed = terms_.timed(bound_->leased()) || claim_.tokens > 1;
  placed_ = placed_ || waker != nullptr;
  const auto sent = timed || bound_->bounded() ? Clock::now() : Clock::time_point{};
  auto verdict = bound_->resource().attempt(claim_, waker, loop_.call_deadline(sent));
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

void Acquirer::accept(const engine::Granted& granted, Clock::time_point sent) {
  start_ = {.claim = claim_,
            .terms = terms_,
            .token = granted.token,
            .lease = granted.lease,
            .sent = sent,
            .since = sent,
            .spare_tokens = granted.tokens > 0 ? granted.tokens - 1 : 0,
            .one_token = granted.one_token};
  start_.claim.payload = {};  // the text need not live longer than the call
}

// The loop treats a late grant as an engine that does not answer in time: it tries
// again under a new ticket, with pauses, within the caller's limit.
Failure Acquirer::refuse_late(engine::Lease lease) {
  (void)drop_claim(bound_, claim_);
  placed_ = false;
  claim_.ticket = bound_->client().next_ticket();
  return {Errc::unavailable, "the grant of \"" + std::string(bound_->name()) +
                                 "\" arrived after its lease of " +
                                 base::spell_duration(lease) +
                                 " was over; ask for a longer lease"};
}

Failure Acquirer::abandon(Failure why) {
  ClientState& client = bound_->client();
  if (client.forked() || !placed_) return why;
  claim_.payload = {};  // the text need not live longer than the call
  // The caller has waited for an engine that does not answer, and does not wait again.
  if (loop_.troubled()) {
    client.renewer().drop_later({bound_, claim_});
  } else {
    (void)drop_claim(bound_, claim_);
  }
  return why;
}

}  // namespace

Result<LeaseStart> acquire(const BoundResourcePtr& bound,
                           const AcquireRequest& request) {
  ClientState& client = bound->client();
  if (!client.usable()) return client.why_unusable();
  const auto terms =
      terms_for(request.lease, client.ttl(), bound->leased(), bound->session_bound());
  if (!terms) return terms.error();

  Metrics* const metrics = client.metrics();
  const auto begin = metrics != nullptr ? Clock::now() : Clock::time_point{};
  auto start = Acquirer(bound, request, *terms).acquire();
  if (!start && request.explain && start.error().code == Errc::timed_out) {
    start = Failure(Errc::timed_out, explain_timeout(*bound, request.wait));
  }
  if (metrics != nullptr) {
    if (start) {
      metrics->acquired(bound->name(), Clock::now() - begin);
    } else {
      metrics->not_acquired(bound->name(), start.error().code);
    }
  }
  return start;
}

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "core/attempts.h"

#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "base/common_failures.h"
#include "base/durations.h"
#include "core/client_state.h"
#include "core/lease.h"
#include "core/renewal_schedule.h"

namespace holdfast::core {
namespace {

// So many threads of a process may hold the lock one after the other before another
// process gets it. A switch of processes costs as much as some dozens of such holds.
constexpr std::uint32_t kTokensToReserve = 64;

}  // namespace

Attempts::Attempts(const BoundResourcePtr& bound, const AcquireRequest& request,
                   const LeaseTerms& terms, const Params& params)
    : bound_(bound),
      request_(request),
      gate_(params.gate),
      loop_(*bound, request.wait, request.stop) {
  loop_.start(params.until);
  start_.terms = terms;
  start_.turn = params.turn;
  start_.claim = {.lease = terms.lease,
                  .permits = request.permits,
                  .capacity = request.capacity,
                  .mode = request.mode,
                  .payload = params.payload};
  // A claim whose payload tells of its thread is not handed over to another thread.
  if (gate_ != nullptr && bound->kind() == engine::Kind::mutex &&
      params.payload.empty()) {
    start_.claim.tokens = kTokensToReserve;
  }
}

Attempts::~Attempts() = default;

Result<void> Attempts::run() {
  try {
    return loop_.run(first(),
                     [this](const engine::Waker& waker) { return poll_once(waker); });
  } catch (const std::exception& error) {
    return base::out_of_resources(error, "acquire", bound_->name());
  }
}

Result<WaitLoop::Step> Attempts::step(const engine::Waker& waker) {
  const bool bare = !asked_ && first() == WaitLoop::First::bare;
  const engine::Waker none;
  const engine::Waker& armed = bare ? none : waker;
  stepped_ = true;
  try {
    auto next =
        bound_->posts() && !waits_
            ? loop_.step_posted(
                  armed,
                  [&](const engine::Waker& each) { return poll_posted(each, waker); })
            : loop_.step(armed,
                         [this](const engine::Waker& each) { return poll_once(each); });
    waits_ = next && next->waits;
    asked_ = asked_ || !loop_.asking();
    return next;
  } catch (const std::exception& error) {
    return base::out_of_resources(error, "acquire", bound_->name());
  }
}

// Where attempts are cheap, the first one has no waker and leaves no claim.
WaitLoop::First Attempts::first() const noexcept {
  const bool queue = (bound_->leased() || request_.tried) && !request_.wait.is_zero();
  return queue ? WaitLoop::First::with_waker : WaitLoop::First::bare;
}

// Only a changed answer is reported, so an uncontended acquisition locks the gate's
// mutex only one more time.
void Attempts::report(Gate::Answer answer) noexcept {
  if (gate_ == nullptr || std::exchange(last_reported_, answer) == answer) return;
  gate_->report_answer(start_.turn, answer);
}

// An engine that throws may have granted the claim.
void Attempts::prepare(const engine::Waker& waker) noexcept {
  if (start_.claim.ticket == engine::Ticket::none) {
    start_.claim.ticket = bound_->client().next_ticket();
  }
  queued_ = queued_ || waker != nullptr;
  may_exist_ = true;
}

engine::Posted<WaitLoop::Pause> Attempts::poll_posted(const engine::Waker& waker,
                                                      const engine::Waker& answered) {
  prepare(waker);
  if (!loop_.asking()) sent_ = Clock::now();
  auto posted = bound_->resource().post_attempt(start_.claim, waker, answered,
                                                loop_.call_deadline(sent_));
  under_way_ = posted.under_way;
  if (!posted.answer) return {.under_way = posted.under_way};
  constexpr bool kMayWait = false;
  return {.answer = interpret(*std::move(posted.answer), sent_, kMayWait)};
}

Result<WaitLoop::Pause> Attempts::poll_once(const engine::Waker& waker) {
  prepare(waker);
  const engine::Claim& claim = start_.claim;
  const bool timed = start_.terms.timed(bound_->leased()) || claim.tokens > 1;
  const auto sent = timed || bound_->bounded() ? Clock::now() : Clock::time_point{};
  constexpr bool kMayWait = true;
  return interpret(bound_->resource().attempt(claim, waker, loop_.call_deadline(sent)),
                   sent, kMayWait);
}

Result<WaitLoop::Pause> Attempts::interpret(Result<engine::Verdict> verdict,
                                            Clock::time_point sent, bool may_wait) {
  if (!verdict) {  // the request may have been applied before the answer was lost
    queued_ = true;
    report(Gate::Answer::failed);
    return std::move(verdict).error();
  }
  const auto* const granted = std::get_if<engine::Granted>(&*verdict);
  if (granted == nullptr) {
    may_exist_ = queued_;
    report(Gate::Answer::blocked);
    return WaitLoop::Pause(std::get<engine::Blocked>(*verdict).retry_after);
  }
  // The answer may have been so long on its way that the lease is over for its holder.
  const bool over = granted->lease != engine::kNoLease &&
                    Clock::now() >= deadline_of(sent, granted->lease);
  report(over ? Gate::Answer::failed : Gate::Answer::granted);
  if (over) return refuse_late(granted->lease, may_wait);
  accept(*granted, sent);
  return WaitLoop::Pause();
}

void Attempts::accept(const engine::Granted& granted, Clock::time_point sent) noexcept {
  start_.token = granted.token;
  start_.lease = granted.lease;
  start_.sent = sent;
  start_.since = sent;
  start_.spare_tokens = granted.tokens > 0 ? granted.tokens - 1 : 0;
  start_.one_token = granted.one_token;
  start_.capacity = granted.capacity;
}

// The loop treats a late grant as an engine that does not answer in time: it tries
// again under a new ticket, with pauses, within the caller's limit.
Failure Attempts::refuse_late(engine::LeaseTime lease, bool may_wait) {
  if (may_wait) {
    (void)drop_claim(bound_, start_.claim);
  } else {
    bound_->client().renewer().drop_later({bound_, start_.claim});
  }
  queued_ = false;
  may_exist_ = false;
  start_.claim.ticket = engine::Ticket::none;
  return {Errc::unavailable, "the grant of \"" + std::string(bound_->name()) +
                                 "\" arrived after its lease of " +
                                 base::spell_duration(lease) +
                                 " was over; ask for a longer lease"};
}

// Returns whether the engine may know the claim, so that it has to be dropped.
bool Attempts::may_exist() const noexcept {
  return may_exist_ && !bound_->client().forked();
}

// An engine that has not answered the caller, or another one, is not waited for again.
std::optional<WaitLoop::Step> Attempts::give_up(const engine::Waker& waker) noexcept {
  if (given_up_) return std::nullopt;
  const WaitLoop::Step until_rung{false, engine::Deadline::max()};
  if (under_way_ && !collect_answer(waker)) return until_rung;
  start_.claim.payload = {};  // the renewer may have the claim for long
  ClientState& client = bound_->client();
  const bool answers = !loop_.is_failing() && !unanswered_ && client.answers();
  if (!may_exist()) {
    // There is nothing to drop.
  } else if (!answers) {
    client.renewer().drop_later({bound_, start_.claim});
  } else if (waits_) {
    (void)drop_claim(bound_, start_.claim);
  } else {
    const auto posted = post_drop(waker);
    if (posted.under_way) return until_rung;
    if (!posted.answer) {
      waits_ = true;
      return WaitLoop::Step{false, engine::Deadline::min(), true};
    }
    client.note_answer(*posted.answer);
    settle_drop(bound_, start_.claim, *posted.answer);
  }
  given_up_ = true;
  return std::nullopt;
}

// The answer to the last attempt comes before the drop, so that a call which is
// cancelled while its claim is being granted leaves nothing behind. Returns false while
// it is under way.
bool Attempts::collect_answer(const engine::Waker& waker) noexcept {
  try {
    const engine::Waker none;
    const auto posted = bound_->resource().post_attempt(start_.claim, none, waker,
                                                        loop_.call_deadline(sent_));
    under_way_ = posted.under_way;
    unanswered_ = posted.answer && !posted.answer->has_value();
    if (unanswered_) bound_->client().note_answer(*posted.answer);
  } catch (const std::exception&) {  // no memory
    under_way_ = false;
    unanswered_ = true;
  }
  return !under_way_;
}

engine::Posted<void> Attempts::post_drop(const engine::Waker& waker) noexcept {
  if (!std::exchange(dropping_, true)) sent_ = Clock::now();
  try {
    return bound_->resource().post_drop(start_.claim, waker,
                                        sent_ + bound_->client().call_time());
  } catch (const std::exception&) {  // no memory
    return {};
  }
}

void Attempts::abandon() noexcept {
  ClientState& client = bound_->client();
  if (given_up_ || !may_exist()) return;
  // A step must not wait for an engine that posts. The caller has waited for an engine
  // that does not answer, and does not wait again; nor do others.
  const bool posts = stepped_ && bound_->posts();
  if (posts || loop_.is_failing() || !client.answers()) {
    client.renewer().drop_later({bound_, start_.claim});
  } else {
    (void)drop_claim(bound_, start_.claim);
  }
}

Result<LeaseStart> Attempts::finish(const Result<void>& ended) {
  start_.claim.payload = {};  // the text need not live longer than the call
  if (ended) return start_;
  abandon();
  if (gate_ != nullptr) gate_->leave(start_.turn);
  return ended.error();
}

}  // namespace holdfast::core

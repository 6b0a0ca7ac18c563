// SPDX-License-Identifier: Apache-2.0

#include "core/lease.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "base/common_failures.h"
#include "base/stripes.h"
#include "base/time_left.h"
#include "base/transient.h"
#include "core/amendment.h"
#include "core/call.h"
#include "core/client_state.h"
#include "core/gate.h"
#include "core/lease_storage.h"

namespace holdfast::core {
namespace {

using Span = std::chrono::nanoseconds;

// How long a grant may be handed from thread to thread while other processes wait.
constexpr Span kLongestHandOver = std::chrono::milliseconds(50);

constinit base::Stripes adoption_stripes;
constinit base::Stripes source_stripes;

std::uint64_t next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Drops a claim whose caller does not need the outcome. A runner does not wait for the
// engine, because all asynchronous calls of its client wait for the runner.
void drop_unasked(const BoundResourcePtr& bound, const engine::Claim& claim,
                  Confirm confirm = Confirm::yes) noexcept {
  if (bound->bounded() && Runner::is_current()) {
    bound->client().renewer().drop_later({bound, claim});
  } else {
    (void)drop_claim(bound, claim, confirm);
  }
}

bool can_be_handed_over(const LeaseOptions& options) noexcept {
  return options.renewed && options.cap.is_forever();
}

}  // namespace

std::stop_token already_lost() {
  static const std::stop_token* const token = [] {
    std::stop_source source;
    source.request_stop();
    return new std::stop_token(source.get_token());
  }();
  return *token;
}

Result<void> drop_claim(const BoundResourcePtr& bound, const engine::Claim& claim,
                        Confirm confirm) noexcept {
  const bool awaited = confirm == Confirm::yes || !bound->fifo_requests();
  auto dropped =
      bound->drop(claim, awaited ? bound->call_deadline() : engine::Deadline::min());
  if (awaited) bound->client().note_answer(dropped);
  settle_drop(bound, claim, dropped);
  return dropped;
}

Result<void> explain_release(const BoundResource& bound,
                             Result<void> released) noexcept {
  if (released) return released;
  const Failure& why = released.error();
  if (why == Errc::not_owner) return base::not_the_owner(bound.name());
  if (why == Errc::forked) return base::client_forked(bound.name());
  const bool silent = why == Errc::outcome_unknown && why.context.empty();
  try {
    if (why == Errc::not_held) {
      return base::lost_before_release(base::in_quotes(bound.name()));
    }
    if (silent) return base::release_not_confirmed(base::in_quotes(bound.name()));
  } catch (const std::exception&) {  // no memory for the sentence
  }
  return released;
}

void settle_drop(const BoundResourcePtr& bound, const engine::Claim& claim,
                 const Result<void>& dropped) noexcept {
  if (dropped || !base::is_transient(dropped.error())) return;
  bound->client().renewer().drop_later({bound, claim});
}

void LeaseRegistry::add(Revocable& member) noexcept {
  base::MutexLock lock(mutex_);
  member.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &member;
  first_ = &member;
}

void LeaseRegistry::remove(Revocable& member) noexcept {
  base::MutexLock lock(mutex_);
  if (member.next_ != nullptr) member.next_->previous_ = member.previous_;
  (member.previous_ != nullptr ? member.previous_->next_ : first_) = member.next_;
}

LeaseRegistry::Revocable::Revocable() noexcept = default;

std::vector<BoundClaim> LeaseRegistry::revoke_all() noexcept {
  std::vector<BoundClaim> claims;
  base::MutexLock lock(mutex_);
  for (Revocable* each = first_; each != nullptr; each = each->next_) {
    each->revoke(claims);
  }
  return claims;
}

Result<std::shared_ptr<Lease>> Lease::take(std::shared_ptr<ClientState> client_state,
                                           const BoundResourcePtr& bound,
                                           const AcquireRequest& request) {
  return begin(std::move(client_state), bound, acquire(bound, request), request.lease);
}

Result<std::shared_ptr<Lease>> Lease::begin(std::shared_ptr<ClientState> client_state,
                                            const BoundResourcePtr& bound,
                                            const Result<LeaseStart>& start,
                                            const LeaseOptions& options,
                                            std::shared_ptr<LeaseStorage> storage) {
  if (!start) return start.error();
  try {
    auto lease =
        storage != nullptr
            ? LeaseStorage::begin(std::move(storage), std::move(client_state), bound,
                                  *start, options)
            : std::make_shared<Lease>(std::move(client_state), bound, *start, options);
    // A client that was closed meanwhile did not revoke this lease if it was not yet in
    // the registry.
    if (!bound->client().usable()) return bound->client().why_unusable(bound->name());
    return lease;
  } catch (const std::exception& error) {  // no memory, or no thread to renew it
    drop_unasked(bound, start->claim);
    if (Gate* const gate = bound->gate_of_turns()) gate->leave(start->turn);
    return base::out_of_resources(error, "acquire", bound->name());
  }
}

Lease::Lease(std::shared_ptr<ClientState> client_state, const BoundResourcePtr& bound,
             const LeaseStart& start, const LeaseOptions& options)
    : client_state_(std::move(client_state)),
      bound_(bound),
      ttl_(options.ttl),
      token_(start.token),
      ticket_(start.claim.ticket),
      requested_(start.claim.lease),
      since_(start.since),
      turn_(start.turn),
      id_(next_id()),
      sent_(start.sent),
      granted_(start.lease),
      source_(std::nostopstate),
      deadline_(0),
      permits_(start.claim.permits),
      spare_tokens_(can_be_handed_over(options) ? start.spare_tokens : 0),
      changes_(0),
      mode_(start.claim.mode),
      one_token_(start.one_token),
      state_(State::held),
      adopted_(false) {
  // A hold that keeps the turn of a gate of tasks has to be seen to end: they would
  // wait for it, though the engine does not.
  const bool has_turn = start.turn != 0 && bound->gate() == nullptr;
  if (start.lease != engine::kNoLease || bound->leased() || has_turn) {
    if (!client().renewer().adopt(*this, start) && client().usable()) {
      throw Error(
          {Errc::full, "the system has no thread or no memory to renew " +
                           base::in_quotes(bound->name()) +
                           ": raise the limit of threads, or free some memory"});
    }
    adopted_.store(true);
  }
  client().leases().add(*this);
}

Lease::~Lease() {
  if (client().forked()) return;
  if (!begin_release()) {
    drop_unasked(bound_, claim(), Confirm::no);
    leave_gate();
  }
  client().leases().remove(*this);
  if (adopted_.load()) (void)client().renewer().forget(*this);
}

// A lease that the renewer cannot adopt is lost, which answers the question that was
// asked about it.
void Lease::ensure_adopted() noexcept {
  if (adopted_.load()) return;
  base::MutexLock lock(adoption_stripes.of(this));
  if (adopted_.load()) return;
  constexpr bool kAskedLate = true;
  LeaseStart start;
  start.claim = claim();
  (void)client().renewer().adopt(*this, start, kAskedLate);
  adopted_.store(true);
}

engine::Claim Lease::claim() const noexcept {
  return {.ticket = ticket_,
          .lease = requested_,
          .permits = permits_.load(),
          .mode = mode_.load()};
}

// The code that ends a lease leaves `held` before it looks at the source. So a call
// that comes later returns a token that is already requested, and the tokens of earlier
// calls are notified.
std::stop_token Lease::lost() noexcept {
  const State state = state_.load();
  if (client().forked() || state == State::revoked || state == State::released) {
    return already_lost();
  }
  ensure_adopted();
  base::MutexLock lock(source_stripes.of(this));
  if (!held()) return source_.stop_possible() ? source_.get_token() : already_lost();
  if (!source_.stop_possible()) source_ = std::stop_source();
  return source_.get_token();
}

std::stop_source Lease::loss_source() {
  base::MutexLock lock(source_stripes.of(this));
  return source_;
}

Span Lease::time_left() const noexcept {
  if (!held()) return Span::zero();
  const Clock::time_point deadline(Clock::duration(deadline_.load()));
  return base::time_left(deadline, Span::max());
}

Span Lease::valid_for() noexcept {
  if (client().forked() || !held()) return Span::zero();
  ensure_adopted();
  return time_left();
}

bool Lease::intact() const noexcept {
  if (!client().usable() || !held()) return false;
  return !adopted_.load() || time_left() > Span::zero();
}

void Lease::extend(Clock::time_point sent, engine::LeaseTime lease,
                   Clock::time_point deadline) noexcept {
  sent_.store(sent);
  granted_.store(lease);
  deadline_.store(deadline.time_since_epoch().count());
}

bool Lease::lose() noexcept {
  State expected = State::held;
  return state_.compare_exchange_strong(expected, State::lost) ||
         expected == State::revoked;
}

void Lease::end_change(const engine::Claim& as) noexcept {
  permits_.store(as.permits);
  mode_.store(as.mode);
  ++changes_;
}

Result<void> Lease::prepare_change() {
  if (client().forked()) return base::client_forked(bound_->name());
  if (!held()) return base::no_longer_held(bound_->name());
  ensure_adopted();
  return {};
}

Result<void> Lease::amend(const engine::Claim& wanted) noexcept {
  try {
    return Amendment(*this, wanted).run();
  } catch (const std::exception& error) {
    return base::out_of_resources(error, "change the hold of", bound_->name());
  }
}

void Lease::amend_async(const std::shared_ptr<Lease>& self, const engine::Claim& wanted,
                        Completion<void> done) {
  start_call<void, AmendCall>(self->client_state(), self->bound()->bounded(),
                              std::move(done), self, wanted);
}

Result<void> Lease::release(Confirm confirm) noexcept {
  if (auto done = begin_release()) return *std::move(done);
  return drop(confirm);
}

Result<void> Lease::drop(Confirm confirm) noexcept {
  auto dropped = drop_claim(bound_, claim(), confirm);
  leave_gate();
  return explain_release(*bound_, std::move(dropped));
}

std::optional<Result<void>> Lease::begin_release() noexcept {
  if (client().forked()) return base::client_forked(bound_->name());
  const State before = state_.exchange(State::released);
  if (before == State::released) return Result<void>();
  if (before == State::revoked) return explain_release(*bound_, Errc::not_held);
  if (before == State::lost) {
    leave_gate();  // the renewer may not have done it yet
    if (!client().usable()) drop_unasked(bound_, claim());
    return explain_release(*bound_, Errc::not_held);
  }
  bool gone = false;  // whether the renewer has just learnt that the claim is gone
  if (adopted_.load()) {
    gone = !client().renewer().forget(*this);
    // Code that waits for the loss must not wait for ever after a release.
    client().notifier().post(loss_source());
  }
  if (client().metrics() != nullptr) client().metrics()->released(bound_->name());
  // A claim that is being changed is not what its next holder would take it for.
  if (!gone && !changing() && hand_over()) return Result<void>();
  return std::nullopt;
}

Result<void> Lease::end_release(Result<void> dropped) noexcept {
  settle_drop(bound_, claim(), dropped);
  leave_gate();
  return explain_release(*bound_, std::move(dropped));
}

void Lease::leave_gate() noexcept {
  if (Gate* const gate = bound_->gate_of_turns()) gate->leave(turn_);
}

bool Lease::hand_over() noexcept {
  Gate* const gate = bound_->gate_of_turns();
  if (gate == nullptr || turn_ == 0) return false;
  const auto sent = sent_.load();
  const auto given = granted_.load();
  const auto longest = std::min<Span>(kLongestHandOver, client().ttl() / 3);
  const auto end = std::min(deadline_of(sent, given), since_ + longest);
  // Only a lease that is renewed without a cap is handed over, so its terms are these.
  const LeaseOptions options{.ttl = ttl_};
  return gate->hand_over({.claim = claim(),
                          .terms = {.lease = requested_},
                          .token = token_,
                          .lease = given,
                          .sent = sent,
                          .since = since_,
                          .spare_tokens = spare_tokens_,
                          .one_token = one_token_,
                          .turn = turn_},
                         options, end);
}

void Lease::revoke(std::vector<BoundClaim>& claims) noexcept {
  State expected = State::held;
  if (!state_.compare_exchange_strong(expected, State::revoked)) return;
  claims.push_back({bound_, claim()});
}

}  // namespace holdfast::core

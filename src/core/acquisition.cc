// SPDX-License-Identifier: Apache-2.0

#include "core/acquisition.h"

#include <exception>
#include <optional>
#include <utility>

#include "base/common_failures.h"
#include "base/identity.h"
#include "core/client_state.h"
#include "core/explain.h"
#include "core/lease_storage.h"
#include "holdfast/lock_reason.h"

namespace holdfast::core {
namespace {

std::unique_ptr<const std::string> payload_of(const ClientState& client,
                                              const AcquireRequest& request) {
  if (!request.payload.empty()) return std::make_unique<std::string>(request.payload);
  if (LockReason::innermost() == nullptr) return nullptr;
  return std::make_unique<std::string>(base::payload_with_reason(client.payload()));
}

LeaseTerms terms_of(const BoundResource& bound,
                    const AcquireRequest& request) noexcept {
  return terms_for(request.lease, bound.client().ttl(), bound.leased(),
                   bound.session_bound());
}

}  // namespace

Result<LeaseStart> acquire(const BoundResourcePtr& bound,
                           const AcquireRequest& request) {
  std::optional<Acquisition> acquisition;
  try {
    acquisition.emplace(bound, request, Acquisition::Form::blocking);
  } catch (const std::exception& error) {
    return base::out_of_resources(error, "acquire", bound->name());
  }
  return acquisition->acquire();
}

Acquisition::Acquisition(const BoundResourcePtr& bound, const AcquireRequest& request,
                         Form form)
    : bound_(bound),
      request_(request),
      payload_(payload_of(bound->client(), request)),
      waiter_(request.lease, payload_ != nullptr) {
  ClientState& client = bound->client();
  if (!client.usable()) {
    failure_ = std::make_unique<Failure>(client.why_unusable(bound->name()));
    return;
  }
  if (auto checked = check_lease(bound->name(), request.lease, client.ttl());
      !checked) {
    failure_ = std::make_unique<Failure>(std::move(checked).error());
    return;
  }
  if (request.gate) {
    gate_ = form == Form::blocking ? bound->gate() : bound->gate_of_tasks();
  }
  until_ = WaitLoop::end_of(request.wait);
  if (client.metrics() != nullptr || (gate_ != nullptr && limited())) {
    begin_ = Clock::now();
  }
}

bool Acquisition::limited() const noexcept {
  return until_ != engine::Deadline::max() || request_.wait.is_zero();
}

bool Acquisition::stopped() const noexcept {
  return request_.stop != nullptr && request_.stop->stop_requested();
}

Gate::Limits Acquisition::limits() const noexcept {
  constexpr auto kAtOnce = engine::Deadline::min();
  if (!limited()) return {until_, engine::Deadline::max()};
  WaitLoop loop(*bound_, request_.wait, nullptr);  // only tells the time
  loop.start(until_);
  return {request_.wait.is_zero() ? kAtOnce : until_, loop.call_deadline(begin_)};
}

Attempts::Params Acquisition::params() const noexcept {
  return {gate_, waiter_.turn().number, until_,
          payload_ != nullptr ? std::string_view(*payload_) : std::string_view()};
}

Result<LeaseStart> Acquisition::acquire() {
  if (failure_ != nullptr) return *failure_;
  if (stopped()) return conclude(base::wait_cancelled(bound_->name()));
  if (gate_ != nullptr) {
    auto served = gate_->enter(waiter_, limits(), request_.stop);
    if (!served) return conclude(explain_gate(std::move(served).error()));
    if (const auto& handed = waiter_.turn().handed) return conclude(*handed);
  }
  Attempts attempts(bound_, request_, terms_of(*bound_, request_), params());
  return conclude(attempts.finish(attempts.run()));
}

std::optional<WaitLoop::Step> Acquisition::begin(const engine::Waker& waker) {
  const bool queues = gate_ != nullptr && !request_.wait.is_zero();
  if (failure_ != nullptr || !queues || stopped()) return std::nullopt;
  const auto until = gate_->poll_turn(waiter_, limits(), waker.get(), false);
  // After an error the first step looks again, and tells it.
  if (!until || waiter_.served()) return std::nullopt;
  ring_on_stop(waker);
  return WaitLoop::Step{false, *until};
}

// Where the engine posts, a step must not wait, unless the step before said so. So the
// steps go on after a failure: first the claim is given up, then the engine may have to
// be asked who holds the lock.
Result<WaitLoop::Step> Acquisition::step(const engine::Waker& waker) {
  const bool may_wait =
      failure_ != nullptr && (storage_ == nullptr || storage_->attempts().given_up());
  if (failure_ == nullptr) {
    auto next = advance(waker);
    if (next || !bound_->posts() || !begun()) return next;
    failure_ = std::make_unique<Failure>(next.error());
  }
  if (storage_ != nullptr) {
    if (const auto next = storage_->attempts().give_up(waker)) return *next;
  }
  if (!begun() || !request_.explain || failure_->code != Errc::timed_out) {
    return *failure_;
  }
  if (!may_wait && bound_->client().answers()) {
    return WaitLoop::Step{false, engine::Deadline::min(), true};
  }
  failure_ = std::make_unique<Failure>(explained(*failure_));
  return *failure_;
}

Result<WaitLoop::Step> Acquisition::advance(const engine::Waker& waker) {
  if (storage_ == nullptr) {
    if (gate_ != nullptr && !waiter_.served()) {
      auto next = step_to_gate(waker);
      if (!next || next->done || !waiter_.served()) return next;
    } else if (gate_ == nullptr && stopped()) {
      return base::wait_cancelled(bound_->name());
    }
    on_stop_.reset();
    storage_ = std::make_shared<LeaseStorage>(bound_, request_,
                                              terms_of(*bound_, request_), params());
  }
  return storage_->attempts().step(waker);
}

// The step is done if a grant was handed over with the turn.
Result<WaitLoop::Step> Acquisition::step_to_gate(const engine::Waker& waker) {
  auto until = gate_->poll_turn(waiter_, limits(), waker.get(), stopped());
  if (!until) return explain_gate(std::move(until).error());
  if (waiter_.served()) {
    return WaitLoop::Step{waiter_.turn().handed != nullptr, engine::Deadline::min()};
  }
  ring_on_stop(waker);
  return WaitLoop::Step{false, *until};
}

// If the stop was requested since the last look, the callback rings at once.
void Acquisition::ring_on_stop(const engine::Waker& waker) {
  if (on_stop_ != nullptr || waker == nullptr) return;
  if (request_.stop == nullptr || !request_.stop->stop_possible()) return;
  on_stop_ = std::make_unique<RingOnStop>(*request_.stop, RingSignal{waker.get()});
}

Failure Acquisition::explain_gate(Failure why) const {
  if (why.code == Errc::cancelled) return base::wait_cancelled(bound_->name());
  if (why.code == Errc::closed) return base::client_closed(bound_->name());
  if (why.code != Errc::unavailable) return why;
  return {Errc::unavailable,
          "it is not known whether \"" + std::string(bound_->name()) +
              "\" is held: the engine has not answered another thread of this process "
              "that asks for it; try again later"};
}

Failure Acquisition::explained(const Failure& why) const {
  if (!request_.explain || why.code != Errc::timed_out) return why;
  return explain_timeout(*bound_, request_.wait);
}

Result<LeaseStart> Acquisition::finish(const Result<void>& ended) {
  if (failure_ != nullptr && !begun()) return *failure_;
  on_stop_.reset();
  if (storage_ != nullptr) return conclude(storage_->attempts().finish(ended));
  if (ended) return conclude(*waiter_.turn().handed);
  withdraw();
  return conclude(ended.error());
}

// After an exception it may still be in the queue of the gate, or have the turn.
void Acquisition::withdraw() noexcept {
  if (gate_ == nullptr) return;
  const Gate::Turn turn = gate_->withdraw(waiter_);
  if (turn.handed != nullptr) {
    bound_->client().renewer().drop_later({bound_, turn.handed->claim});
  }
  if (turn.number != 0) gate_->leave(turn.number);
}

// A failure that is known from a step has been explained there.
Result<LeaseStart> Acquisition::conclude(Result<LeaseStart> outcome) {
  if (!outcome && failure_ == nullptr) outcome = explained(outcome.error());
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

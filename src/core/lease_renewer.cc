// SPDX-License-Identifier: Apache-2.0

#include "core/lease_renewer.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/common_failures.h"
#include "base/thread.h"
#include "core/client_state.h"
#include "core/gate.h"
#include "core/renewal_call.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

// Leases whose renewal failed are renewed by up to sixteen calls, all of which may take
// long (see RenewalSchedule::poll). The others need workers, too.
constexpr std::size_t kMostWorkers = 24;

// An engine begins to watch a claim when it is first renewed. The first renewal comes
// soon, so that an eviction is reported within a second whatever the ttl is, but not at
// once, so that a short hold costs no extra call.
constexpr Clock::duration kFirstRenewal = 500ms;

constexpr engine::LeaseTime kShortestWorkerCall = 1ms;
constexpr engine::LeaseTime kLongestWorkerCall = 5s;

std::shared_ptr<base::ThreadPool> make_workers() {
  return std::make_shared<base::ThreadPool>(base::ThreadPool::Options{
      .name = "hf-renew", .most = kMostWorkers, .patience = 0ms});
}

}  // namespace

LeaseRenewer::LeaseRenewer(Dependencies deps)
    : deps_(std::move(deps)), workers_(make_workers()), schedule_(deps_.ttl) {}

LeaseRenewer::~LeaseRenewer() { (void)stop(); }

bool LeaseRenewer::adopt(Lease& lease, const LeaseStart& start,
                         bool asked_late) noexcept {
  const LeaseTerms& terms = start.terms;
  const Time now = Clock::now();
  const bool timeless = start.lease == engine::kNoLease;
  const Time sent = timeless && terms.renewed ? now : start.sent;
  const RenewalSchedule::Entry entry{.sent = sent,
                                     .lease = start.lease,
                                     .cap = terms.cap.is_forever()
                                                ? Time::max()
                                                : terms.cap.deadline_from(start.since),
                                     .due = asked_late ? sent
                                            : timeless ? Time::max()
                                                       : now + kFirstRenewal,
                                     .answer_due = Time::max(),
                                     .failures = 0,
                                     .renewed = terms.renewed,
                                     .target = &lease};

  base::MutexLock lock(mutex_);
  lease.extend(entry.sent, entry.lease, entry.deadline());
  if (closing_) {
    lease.lose();
    return false;
  }
  if (!ensure_timer() || !enter(lease, entry)) {
    lease.lose();
    drops_.add({{lease.bound(), lease.claim()}, now});
    return false;
  }
  return true;
}

bool LeaseRenewer::enter(Lease& lease, const RenewalSchedule::Entry& entry) noexcept {
  try {
    schedule_.add(lease.id(), entry);
  } catch (const std::exception&) {  // no memory
    return false;
  }
  const auto* const added = schedule_.find(lease.id());
  next_heartbeat_ = std::min(next_heartbeat_, Clock::now() + renewal_interval());
  return wake_by(std::min({added->due, added->deadline(), next_heartbeat_}));
}

bool LeaseRenewer::ensure_timer() noexcept {
  if (timer_running_) return true;
  try {
    if (timer_.joinable()) timer_.join();
    asleep_until_ = Time::min();
    timer_ = base::start_thread("hf-renewer", [this] { run(); });
    timer_running_ = true;
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

bool LeaseRenewer::wake_by(Time time) noexcept {
  if (!ensure_timer()) return false;
  wanted_by_ = std::min(wanted_by_, time);
  if (time < asleep_until_) {
    deps_.alarm->poke();
    asleep_until_ = Time::min();  // It will look: one call is enough.
  }
  return true;
}

engine::LeaseTime LeaseRenewer::renewal_interval() const noexcept {
  return deps_.ttl / 3;
}

engine::LeaseTime LeaseRenewer::call_limit() const noexcept {
  return std::clamp(renewal_interval(), kShortestWorkerCall, kLongestWorkerCall);
}

bool LeaseRenewer::forget(Lease& lease) noexcept {
  base::MutexLock lock(mutex_);
  const bool known = schedule_.find(lease.id()) != nullptr;
  schedule_.remove(lease.id());
  return known;
}

Result<std::optional<engine::LeaseTime>> LeaseRenewer::begin_change(
    Lease& lease, const engine::Waker& waker) {
  base::MutexLock lock(mutex_);
  const auto* const entry = schedule_.find(lease.id());
  const Time now = Clock::now();
  if (entry == nullptr || entry->end() <= now)
    return base::no_longer_held(lease.bound()->name());
  if (lease.changing()) {
    if (waker != nullptr) waiting_to_change_.push_back(waker);
    return std::optional<engine::LeaseTime>();
  }
  lease.begin_change();
  return std::optional(entry->lease_to_ask(lease.claim().lease, deps_.ttl, now));
}

bool LeaseRenewer::end_change(Lease& lease, const engine::Claim& held,
                              const engine::Claim& wanted, Time sent,
                              const Result<engine::Granted>& answer) noexcept {
  base::MutexLock lock(mutex_);
  lease.end_change(answer ? wanted : held);
  const bool kept = settle_change(lease, held, sent, answer);
  const auto next = std::exchange(waiting_to_change_, {});
  lock.unlock();
  for (const engine::Waker& each : next) each->ring();
  lock.lock();
  return kept;
}

bool LeaseRenewer::settle_change(Lease& lease, const engine::Claim& held, Time sent,
                                 const Result<engine::Granted>& answer) noexcept {
  const auto* const entry = schedule_.find(lease.id());
  if (entry == nullptr) {  // it was lost meanwhile, and `lose` left the drop to us
    add_drop({lease.bound(), held});
    return false;
  }
  if (!answer) {
    if (answer.error() == Errc::not_held) lose(lease.id(), Why::gone);
  } else if (entry->renewed) {
    schedule_.renewed(lease.id(), Time::max(), sent, answer->lease);
    lease.extend(entry->sent, entry->lease, entry->deadline());
  }
  return true;
}

void LeaseRenewer::drop_later(BoundClaim claim) noexcept {
  base::MutexLock lock(mutex_);
  add_drop(std::move(claim));
}

void LeaseRenewer::add_drop(BoundClaim claim) noexcept {
  if (stopping_) return;
  const Time now = Clock::now();
  drops_.add({std::move(claim), now});
  // If the system gives no thread now, the claim is dropped by the next one that it
  // gives, or by `close`.
  (void)wake_by(now);
  changed_.notify_all();
}

void LeaseRenewer::add_waiter() {
  base::MutexLock lock(mutex_);
  if (waiters_++ > 0 || closing_) return;
  next_heartbeat_ = std::min(next_heartbeat_, Clock::now() + renewal_interval());
  (void)wake_by(next_heartbeat_);
}

void LeaseRenewer::remove_waiter() noexcept {
  base::MutexLock lock(mutex_);
  --waiters_;
}

std::vector<BoundClaim> LeaseRenewer::close() noexcept {
  std::vector<std::stop_source> notifications;
  std::vector<BoundClaim> left;
  {
    base::MutexLock lock(mutex_);
    closing_ = true;
    lose_all();
    notifications.swap(pending_notifications_);
    left = drops_.take_all();
    deps_.alarm->poke();
  }
  for (const std::stop_source& each : notifications) deps_.notifier.post(each);
  return left;
}

void LeaseRenewer::join_if_idle() noexcept {
  std::shared_ptr<base::ThreadPool> workers;
  {
    base::MutexLock lock(mutex_);
    while (timer_running_ && done()) changed_.wait(lock);
    if (timer_running_) return;
    if (timer_.joinable()) timer_.join();
    workers = std::exchange(workers_, make_workers());
  }
  workers->stop();
}

std::vector<BoundClaim> LeaseRenewer::stop() noexcept {
  std::thread timer;
  std::shared_ptr<base::ThreadPool> workers;
  {
    base::MutexLock lock(mutex_);
    closing_ = true;
    stopping_ = true;
    timer = std::move(timer_);
    workers = workers_;
    deps_.alarm->poke();
  }
  if (timer.joinable()) timer.join();
  workers->stop();

  base::MutexLock lock(mutex_);
  lose_all();
  return drops_.take_all();
}

void LeaseRenewer::lose_all() {
  for (const auto id : schedule_.ids()) lose(id, Why::closing);
}

// The log may be slow, as a terminal is, so no thread of the renewer writes to it. What
// there is no memory for is not logged.
template <class MakeText>
void LeaseRenewer::warn(Time now, const MakeText& make_text) noexcept {
  constexpr auto kQuiet = std::chrono::seconds(10);
  if (now < no_warning_before_) return;
  no_warning_before_ = now + kQuiet;
  try {
    (void)deps_.notifier.try_post(
        [log = deps_.log, text = make_text()] { log(LogLevel::warning, text); });
  } catch (const std::exception&) {
    return;
  }
}

// A loss that can be told neither now nor later, because there is neither a thread nor
// memory, ends the program: it must not pass in silence.
void LeaseRenewer::lose(RenewalSchedule::Id id, Why why) noexcept {
  const auto* const entry = schedule_.find(id);
  if (entry == nullptr) return;
  Lease* const lease = entry->target;
  // The claim is not dropped before it ends at the engine, so that callbacks of lost()
  // can use the drift allowance.
  const Time end = entry->end();
  const bool agreed = why == Why::over && entry->ends_as_agreed();
  schedule_.remove(id);
  if (!lease->lose()) return;

  const BoundResource& bound = *lease->bound();
  const std::stop_source asked = lease->loss_source();
  if (!deps_.notifier.try_post(asked)) pending_notifications_.push_back(asked);
  if (Metrics* const metrics = deps_.metrics) {
    agreed ? metrics->expired(bound.name()) : metrics->lost(bound.name());
  }
  if (Gate* const gate = bound.gate_of_turns()) gate->leave(lease->turn());
  // A claim is not dropped while it is being changed; `end_change` drops it then.
  if (why == Why::over && !lease->changing()) {
    drops_.add({{lease->bound(), lease->claim()}, end});
  }
}

// Returns whether the timer will never have anything to do again.
bool LeaseRenewer::done() const { return stopping_ || (closing_ && drops_.done()); }

void LeaseRenewer::run() {
  base::MutexLock lock(mutex_);
  while (!done()) {
    const Time now = Clock::now();
    if (deps_.alarm->take_alarm()) schedule_.hasten(now);
    if (wanted_by_ <= now) wanted_by_ = Time::max();
    const Time until = asleep_until_ = std::min(step(now), wanted_by_);
    lock.unlock();
    deps_.alarm->wait(until);
    lock.lock();
  }
  timer_running_ = false;
  changed_.notify_all();
}

// Does everything that is due at `now`, and returns when to come back. What there is no
// memory for is still due then, or when its answer would be overdue.
Clock::time_point LeaseRenewer::step(Time now) noexcept {
  try {
    const Time renewals = start_renewals(now);
    base::ThreadPool& workers = *workers_;
    const Time drops =
        drops_.start_workers(now, [&] { return workers.post([this] { drop_due(); }); });
    return std::min({renewals, drops, retry_notifications(now)});
  } catch (const std::exception&) {
    return now + base::kNoThreadPause;
  }
}

Clock::time_point LeaseRenewer::start_renewals(Time now) {
  const auto plan = schedule_.poll(now);
  for (const auto id : plan.lost) lose(id, Why::over);

  Time next = plan.next;
  for (const auto& call : plan.calls) {
    if (workers_->post([this, call] { renew(call); })) continue;
    for (const auto id : call.ids) schedule_.postponed(id, call.answer_due, now);
    next = std::min(next, now + base::kNoThreadPause);
  }
  if (!plan.calls.empty()) {
    next_heartbeat_ = now + renewal_interval();
  } else if (next_heartbeat_ <= now) {
    heartbeat(now);
  }
  return std::min(next, next_heartbeat_);
}

// Keeps the session alive for waiters when no claim has to be renewed. When the last
// waiter and the last lease have gone, one more heartbeat stays planned: a lease that
// is adopted before it need not wake the timer.
void LeaseRenewer::heartbeat(Time now) {
  next_heartbeat_ = Time::max();
  if (closing_ || (waiters_ == 0 && schedule_.size() == 0)) return;
  const RenewalSchedule::Call call{{}, call_limit(), Time::max()};
  const bool started = workers_->post([this, call] { renew(call); });
  next_heartbeat_ = now + (started ? renewal_interval() : base::kNoThreadPause);
}

// Posts the losses again for which the notifier had no thread.
Clock::time_point LeaseRenewer::retry_notifications(Time now) {
  while (!pending_notifications_.empty()) {
    if (!deps_.notifier.try_post(pending_notifications_.back()))
      return now + base::kNoThreadPause;
    pending_notifications_.pop_back();
  }
  return Time::max();
}

// Without the memory for a call it is not made. It is repeated when its answer would be
// overdue.
void LeaseRenewer::renew(const RenewalSchedule::Call& plan) noexcept {
  try {
    carry_out(plan);
  } catch (const std::exception&) {
    wake();
  }
}

void LeaseRenewer::carry_out(const RenewalSchedule::Call& plan) {
  RenewalCall call(plan);
  {
    base::MutexLock lock(mutex_);
    call.gather(schedule_, deps_.ttl, Clock::now());
  }
  if (!call.is_needed()) return wake();
  call.ask(deps_.session);

  base::MutexLock lock(mutex_);
  call.settle(schedule_);
  for (const auto id : call.gone()) lose(id, Why::gone);
  if (!call.answered()) {
    next_heartbeat_ = std::min<Time>(
        next_heartbeat_,
        call.ended() + std::min<engine::LeaseTime>(renewal_interval(), 1s));
  }
  if (deps_.metrics != nullptr && call.renewed() > 0) {
    deps_.metrics->renewed(call.renewed(), call.slack());
  }
  if (call.failed()) {
    warn(call.ended(), [&] { return call.explain(); });
  }
  wake();
}

void LeaseRenewer::drop_due() noexcept {
  for (;;) {
    std::optional<PendingDrops::Drop> next;
    {
      base::MutexLock lock(mutex_);
      if (!stopping_) next = drops_.take_due(Clock::now());
      if (!next) {
        drops_.worker_ended();
        return wake();
      }
    }
    const auto why = PendingDrops::send(*next, call_limit());
    if (!why) continue;
    base::MutexLock lock(mutex_);
    drops_.add(*next);
    if (next->failures > 1) continue;
    warn(Clock::now(), [&] {
      return "a claim on " + base::in_quotes(next->claim.bound->name()) +
             " could not be given back yet: " + why->message() +
             "; this is repeated until it is confirmed";
    });
  }
}

}  // namespace holdfast::core

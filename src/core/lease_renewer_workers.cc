// SPDX-License-Identifier: Apache-2.0

// The renewer's calls to the engine. Each of them runs on a worker's thread.

#include <algorithm>
#include <exception>
#include <utility>

#include "base/ask_engine.h"
#include "base/common_failures.h"
#include "base/transient.h"
#include "core/lease_renewer.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr engine::LeaseTime kShortestDropCall = 1ms;
constexpr engine::LeaseTime kLongestDropCall = 5s;

Clock::duration drop_pause(int failures) noexcept {
  return std::min<Clock::duration>(10ms * (1 << std::min(failures, 8)), 1s);
}

}  // namespace

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

std::string LeaseRenewer::Tally::explain() const {
  const std::string why = last_error->message();
  if (failed == 0) {
    return "the session could not be kept alive: " + why +
           "; this is repeated until it is answered";
  }
  const std::size_t others = failed - 1;
  return "the lease of " + base::in_quotes(failed_name) +
         (others > 0 ? " and of " + std::to_string(others) + " more" : "") +
         " could not be renewed: " + why + "; this is repeated until the lease is over";
}

engine::LeaseTime LeaseRenewer::call_limit() const noexcept {
  return std::clamp(renewal_interval(), kShortestDropCall, kLongestDropCall);
}

// Returns the lease to ask for at `now`, so that the grant ends when it should.
// REQUIRES: it is not over at `now`; an engine would take a time of zero for its ttl.
engine::LeaseTime LeaseRenewer::lease_from(const RenewalSchedule::Entry& entry,
                                           engine::LeaseTime asked,
                                           Time now) const noexcept {
  if (!entry.renewed) return entry.end() - now;  // ends when it would
  if (entry.cap == Time::max()) return asked;
  const engine::LeaseTime full = asked.count() != 0 ? asked : deps_.ttl;
  return std::min<engine::LeaseTime>(full, entry.cap - now);
}

// Returns the claims of a call that still have to be renewed by it. If the call waited
// for a worker until its answer was overdue, the schedule has put them into another
// call.
std::vector<LeaseRenewer::Renewal> LeaseRenewer::gather(
    const RenewalSchedule::Call& call, Time now) {
  std::vector<Renewal> renewals;
  renewals.reserve(call.ids.size());
  for (const auto id : call.ids) {
    const auto* const entry = schedule_.find(id);
    if (entry == nullptr || entry->answer_due != call.answer_due) continue;
    // A worker may come late, as after a SIGSTOP. The timer reports the loss.
    if (entry->end() <= now) continue;
    const Lease& lease = *entry->target;
    if (lease.changing()) {
      schedule_.postponed(id, call.answer_due, now);
      continue;
    }
    const std::uint16_t changes = lease.changes();
    engine::Claim claim = lease.claim();
    claim.lease = lease_from(*entry, claim.lease, now);
    renewals.push_back({id, {lease.bound(), claim}, changes});
  }
  return renewals;
}

// Without the memory for a call it is not made. It is repeated when its answer would be
// overdue.
void LeaseRenewer::renew(const RenewalSchedule::Call& call) noexcept {
  try {
    carry_out(call);
  } catch (const std::exception&) {
    wake();
  }
}

void LeaseRenewer::carry_out(const RenewalSchedule::Call& call) {
  std::vector<Renewal> renewals;
  {
    base::MutexLock lock(mutex_);
    renewals = gather(call, Clock::now());
  }
  if (renewals.empty() && !call.ids.empty()) return wake();
  std::vector<engine::ClaimRef> refs;
  refs.reserve(renewals.size());
  for (const Renewal& each : renewals) {
    refs.push_back({&each.claim.bound->resource(), &each.claim.claim});
  }
  const Time sent = Clock::now();
  auto outcome =
      base::ask_engine([&] { return deps_.session.renew(refs, sent + call.limit); });
  const Time now = Clock::now();

  base::MutexLock lock(mutex_);
  Tally tally;
  const bool answered = outcome.has_value();
  if (!answered) {
    tally.last_error = std::move(outcome).error();
    next_heartbeat_ = std::min<Time>(
        next_heartbeat_, now + std::min<engine::LeaseTime>(renewal_interval(), 1s));
  }
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (!answered) {
      tally.failed_name = renewals[i].claim.bound->name();
      ++tally.failed;
      schedule_.failed(renewals[i].id, call.answer_due, now);
    } else {
      settle(call, renewals[i], refs[i], {sent, now}, tally);
    }
  }
  if (deps_.metrics != nullptr && tally.renewed > 0) {
    deps_.metrics->renewed(tally.renewed, tally.slack);
  }
  if (tally.last_error) {
    warn(now, [&] { return tally.explain(); });
  }
  wake();
}

void LeaseRenewer::settle(const RenewalSchedule::Call& call, const Renewal& renewal,
                          const engine::ClaimRef& ref, Exchange when,
                          Tally& tally) noexcept {
  const auto id = renewal.id;
  const auto* const entry = schedule_.find(id);
  if (entry == nullptr) return;
  Lease& lease = *entry->target;
  if (ref.outcome == Errc::not_held) {
    if (lease.changes() == renewal.changes) {
      lose(id, Why::gone);
    } else {
      schedule_.postponed(id, call.answer_due, when.answered);
    }
    return;
  }
  if (ref.outcome) {
    tally.last_error = Failure(ref.outcome);
    tally.failed_name = lease.bound()->name();
    ++tally.failed;
    schedule_.failed(id, call.answer_due, when.answered);
    return;
  }
  if (entry->deadline() != Time::max()) {
    tally.slack =
        std::min<engine::LeaseTime>(tally.slack, entry->deadline() - when.answered);
  }
  ++tally.renewed;
  schedule_.renewed(id, call.answer_due, when.sent, ref.granted.lease);
  lease.extend(entry->sent, entry->lease, entry->deadline());
}

void LeaseRenewer::drop_due() noexcept {
  for (;;) {
    std::optional<PendingDrop> next;
    {
      base::MutexLock lock(mutex_);
      next = take_due_drop();
      if (!next) {
        --droppers_;
        return wake();
      }
    }
    const BoundResource& bound = *next->claim.bound;
    const auto until =
        bound.bounded() ? Clock::now() + call_limit() : engine::Deadline::max();
    const auto dropped = bound.drop(next->claim.claim, until);
    if (dropped || !base::is_transient(dropped.error())) continue;

    const Time now = Clock::now();
    next->due = now + drop_pause(next->failures++);
    base::MutexLock lock(mutex_);
    keep_drop(*next);
    if (next->failures > 1) continue;
    warn(now, [&] {
      return "a claim on " + base::in_quotes(bound.name()) +
             " could not be given back yet: " + dropped.error().message() +
             "; this is repeated until it is confirmed";
    });
  }
}

std::optional<LeaseRenewer::PendingDrop> LeaseRenewer::take_due_drop() {
  const Time now = Clock::now();
  const auto found = std::find_if(drops_.begin(), drops_.end(),
                                  [&](const auto& each) { return each.due <= now; });
  if (stopping_ || found == drops_.end()) return std::nullopt;
  std::optional<PendingDrop> due(std::move(*found));
  drops_.erase(found);
  return due;
}

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "core/renewal_schedule.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

constexpr engine::LeaseTime kShortestRetry = 5ms;
constexpr engine::LeaseTime kLongestRetry = 1s;
constexpr engine::LeaseTime kShortestLimit = 500ms;  // includes the time to reconnect
constexpr engine::LeaseTime kLongestLimit = 5s;
constexpr int kPartBits = 4;

Time later(Time start, engine::LeaseTime span) noexcept {
  return span > Time::max() - start ? Time::max() : start + span;
}

}  // namespace

Time deadline_of(Time sent, engine::LeaseTime lease) noexcept {
  if (lease == engine::kNoLease) return Time::max();
  return later(sent, std::max(lease - lease / 100 - 2ms, engine::LeaseTime::zero()));
}

Time RenewalSchedule::Entry::deadline() const noexcept {
  return std::min(deadline_of(sent, lease), cap);
}

Time RenewalSchedule::Entry::end() const noexcept {
  return std::min(later(sent, lease), cap);
}

bool RenewalSchedule::Entry::ends_as_agreed() const noexcept {
  return !renewed || end() == cap;
}

engine::LeaseTime RenewalSchedule::Entry::lease_to_ask(engine::LeaseTime asked,
                                                       engine::LeaseTime ttl,
                                                       Time now) const noexcept {
  if (!renewed) return end() - now;  // ends when it would
  if (cap == Time::max()) return asked;
  const engine::LeaseTime full = asked.count() != 0 ? asked : ttl;
  return std::min<engine::LeaseTime>(full, cap - now);
}

engine::LeaseTime RenewalSchedule::span_of(engine::LeaseTime lease) const noexcept {
  return lease == engine::kNoLease ? recheck_ : lease;
}

Time RenewalSchedule::due_after(const Entry& entry, Time sent) const noexcept {
  if (!entry.renewed) return Time::max();
  return later(sent, span_of(entry.lease) / 3);
}

void RenewalSchedule::add(Id id, Entry entry) {
  entry.due = std::min(entry.due, due_after(entry, entry.sent));
  entries_.insert(id, entry);
}

void RenewalSchedule::remove(Id id) { entries_.erase(id); }

const RenewalSchedule::Entry* RenewalSchedule::find(Id id) noexcept {
  return entries_.find(id);
}

std::vector<RenewalSchedule::Id> RenewalSchedule::ids() {
  std::vector<Id> all;
  all.reserve(size());
  entries_.each([&](Id id, const Entry&) { all.push_back(id); });
  return all;
}

RenewalSchedule::Plan RenewalSchedule::poll(Time now) {
  Plan plan;
  bool any_due = false;
  entries_.each([&](Id id, Entry& entry) {
    if (entry.deadline() <= now) {
      plan.lost.push_back(id);
    } else {
      if (entry.answer_due <= now) retry(entry, now);
      any_due = any_due || (!entry.asked() && entry.due <= now);
    }
  });
  if (any_due) plan_calls(plan, now);
  entries_.each([&](Id, const Entry& entry) {
    if (entry.deadline() <= now) return;
    const Time event = entry.asked() ? entry.answer_due : entry.due;
    plan.next = std::min({plan.next, entry.deadline(), event});
  });
  return plan;
}

void RenewalSchedule::plan_calls(Plan& plan, Time now) {
  std::map<unsigned, std::vector<Id>> parts;
  entries_.each([&](Id id, const Entry& entry) {
    if (entry.asked() || entry.deadline() <= now) return;
    if (entry.due <= later(now, span_of(entry.lease) / 6)) {
      parts[part_of(id, entry)].push_back(id);
    }
  });
  for (auto& [part, ids] : parts) plan.calls.push_back(call(std::move(ids), now));
}

// Returns the number of the call that the lease goes into. Ids are given one after the
// other, so a digit of the id spreads leases that failed together evenly over the
// calls. Each further failure takes another digit, so that the same leases do not meet
// again.
unsigned RenewalSchedule::part_of(Id id, const Entry& entry) const noexcept {
  const auto lease = static_cast<std::uint64_t>(span_of(entry.lease).count());
  const unsigned length = static_cast<unsigned>(std::bit_width(lease)) / 2;
  unsigned share = 0;
  if (entry.failures > 0) {
    const int digit = kPartBits * ((entry.failures - 1) % 16);
    share = 1 + static_cast<unsigned>(id >> digit & ((1 << kPartBits) - 1));
  }
  return (length << (kPartBits + 1) | share) << 1 | (entry.renewed ? 1 : 0);
}

RenewalSchedule::Call RenewalSchedule::call(std::vector<Id> ids, Time now) {
  engine::LeaseTime limit = kLongestLimit;
  for (const Id id : ids)
    limit = std::min(limit, span_of(entries_.find(id)->lease) / 6);
  limit = std::max(limit, kShortestLimit);
  const Time answer_due = later(now, limit);
  for (const Id id : ids) {
    Entry& entry = *entries_.find(id);
    entry.due = Time::max();
    entry.answer_due = answer_due;
  }
  return {std::move(ids), limit, answer_due};
}

// The engine may have read a claim for a call that is under way before the change that
// the alarm is about. So that claim is asked about again when the call has been
// answered.
void RenewalSchedule::hasten(Time now) {
  entries_.each([&](Id, Entry& entry) { entry.due = now; });
}

// An answer that comes after its call was given up still counts, unless a later call
// was answered first.
void RenewalSchedule::renewed(Id id, Time call, Time sent, engine::LeaseTime lease) {
  Entry* const found = entries_.find(id);
  if (found == nullptr) return;
  Entry& entry = *found;
  const bool alarmed = entry.asked() && entry.due != Time::max();
  entry.failures = 0;
  if (entry.answer_due == call) entry.answer_due = Time::max();
  if (entry.renewed && sent >= entry.sent) {
    entry.sent = sent;
    entry.lease = lease;
  }
  if (!entry.asked() && !alarmed)
    entry.due = due_after(entry, std::max(sent, entry.sent));
}

RenewalSchedule::Entry* RenewalSchedule::find_asked(Id id, Time call) noexcept {
  Entry* const found = entries_.find(id);
  const bool so = found != nullptr && found->asked() && found->answer_due == call;
  return so ? found : nullptr;
}

void RenewalSchedule::failed(Id id, Time call, Time now) {
  if (Entry* const entry = find_asked(id, call)) retry(*entry, now);
}

void RenewalSchedule::postponed(Id id, Time call, Time now) {
  Entry* const entry = find_asked(id, call);
  if (entry == nullptr) return;
  // It is retried as after a failure, but does not count as one.
  const int failures = entry->failures;
  retry(*entry, now);
  entry->failures = failures;
}

void RenewalSchedule::retry(Entry& entry, Time now) const noexcept {
  const auto lease = span_of(entry.lease);
  const auto first = std::clamp(lease / 100, kShortestRetry, kLongestRetry);
  const auto pause = first * (1 << std::min(entry.failures, 6));
  ++entry.failures;
  entry.answer_due = Time::max();
  const auto longest = std::min(kLongestRetry, std::max(lease / 10, first));
  entry.due = std::min(entry.due, later(now, std::min(pause, longest)));
}

}  // namespace holdfast::core

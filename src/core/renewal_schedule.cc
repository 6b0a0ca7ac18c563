#include "core/renewal_schedule.h"

#include <algorithm>
#include <utility>

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

constexpr engine::Lease kShortestRetry = 5ms;
constexpr engine::Lease kLongestRetry = 1s;

Time later(Time start, engine::Lease span) noexcept {
  return span > Time::max() - start ? Time::max() : start + span;
}

}  // namespace

Time deadline_of(Time sent, engine::Lease lease) noexcept {
  if (lease == engine::kNoLease) return Time::max();
  return later(sent, std::max(lease - lease / 100 - 2ms, engine::Lease::zero()));
}

Time RenewalSchedule::Entry::deadline() const noexcept {
  return std::min(deadline_of(sent, lease), cap);
}

Time RenewalSchedule::Entry::end() const noexcept {
  return std::min(later(sent, lease), cap);
}

Time RenewalSchedule::due_after(const Entry& entry, Time sent) const noexcept {
  if (!entry.renewed) return Time::max();
  return later(sent, (entry.lease == engine::kNoLease ? recheck_ : entry.lease) / 3);
}

void RenewalSchedule::add(Id id, Entry entry) {
  entry.due = std::min(entry.due, due_after(entry, entry.sent));
  entries_.insert(id, entry);
}

void RenewalSchedule::remove(Id id) { entries_.erase(id); }

const RenewalSchedule::Entry* RenewalSchedule::find(Id id) noexcept {
  return entries_.find(id);
}

RenewalSchedule::Duty RenewalSchedule::poll(Time now) {
  Duty duty;
  bool any_due = false;
  entries_.each([&](Id id, const Entry& entry) {
    const Time deadline = entry.deadline();
    if (deadline <= now) {
      duty.lost.push_back(id);
      return;
    }
    any_due = any_due || entry.due <= now;
    duty.next = std::min({duty.next, deadline, entry.due});
    duty.earliest = std::min(duty.earliest, deadline);
  });
  if (!any_due) return duty;

  entries_.each([&](Id id, const Entry& entry) {
    const auto lease = entry.lease == engine::kNoLease ? recheck_ : entry.lease;
    const bool over = entry.deadline() <= now;
    if (!over && entry.due <= later(now, lease / 6)) duty.renew.push_back(id);
  });
  return duty;
}

void RenewalSchedule::hasten(Time now) {
  entries_.each([&](Id, Entry& entry) { entry.due = now; });
}

void RenewalSchedule::renewed(Id id, Time sent, engine::Lease lease) {
  Entry* const found = entries_.find(id);
  if (found == nullptr) return;
  Entry& entry = *found;
  entry.failures = 0;
  if (entry.renewed) {
    entry.sent = sent;
    entry.lease = lease;
  }
  entry.due = due_after(entry, sent);
}

void RenewalSchedule::failed(Id id, Time now) {
  Entry* const found = entries_.find(id);
  if (found == nullptr) return;
  Entry& entry = *found;
  const auto lease = entry.lease == engine::kNoLease ? recheck_ : entry.lease;
  const auto first = std::clamp(lease / 100, kShortestRetry, kLongestRetry);
  const auto pause = first * (1 << std::min(entry.failures, 6));
  ++entry.failures;
  entry.due = later(now, std::min({pause, kLongestRetry, std::max(lease / 10, first)}));
}

}  // namespace holdfast::core

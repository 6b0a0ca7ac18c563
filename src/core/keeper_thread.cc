#include <algorithm>
#include <utility>

#include "base/transient.h"
#include "core/keeper.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

constexpr auto kLongestRenewal = std::chrono::nanoseconds(5s);

Clock::duration drop_pause(int failures) noexcept {
  return std::min<Clock::duration>(10ms * (1 << std::min(failures, 8)), 1s);
}

}  // namespace

void Keeper::run() {
  base::MutexLock lock(mutex_);
  while (!stopping_) {
    const Time now = Clock::now();
    if (around_.bell->take_alarm()) schedule_.hasten(now);
    Work work = plan(now);
    if (work.idle()) {
      const Time until = asleep_until_;
      lock.unlock();
      around_.bell->wait(until);
      lock.lock();
      continue;
    }
    asleep_until_ = Time::min();
    lock.unlock();
    if (!work.renew.empty() || work.beat) renew(work);
    if (!work.drop.empty()) drop(work);
    lock.lock();
  }
}

Keeper::Work Keeper::plan(Time now) {
  Work work;
  const auto duty = schedule_.poll(now);
  for (const auto id : duty.lost) lose(id, Why::over);

  for (const auto id : duty.renew) {
    const Tenure& tenure = **tenures_.find(id);
    const auto& entry = *schedule_.find(id);
    if (tenure.changing()) {
      schedule_.failed(id, now);
      continue;
    }
    const std::uint16_t changes = tenure.changes();
    engine::Claim claim = tenure.claim();
    claim.lease = lease_from(entry, claim.lease, now);
    work.renew.push_back({id, {tenure.bound(), claim}, changes});
  }
  for (auto it = doomed_.begin(); it != doomed_.end();) {
    if (it->due <= now) {
      work.drop.push_back(std::move(*it));
      it = doomed_.erase(it);
    } else {
      ++it;
    }
  }
  const bool beating = waiters_ > 0 || tenures_.size() > 0;
  work.beat = beating && next_beat_ <= now;
  // With nothing to keep, the last beat stays planned: whoever comes before it need not
  // wake this thread.
  if (!beating && next_beat_ <= now) next_beat_ = Time::max();
  work.until = std::min(duty.earliest, now + std::min(third(), kLongestRenewal));

  asleep_until_ = std::min(duty.next, next_beat_);
  for (const Doomed& doomed : doomed_) {
    asleep_until_ = std::min(asleep_until_, doomed.due);
  }
  return work;
}

// What to ask for at `now`, so that the grant ends when it should.
engine::Lease Keeper::lease_from(const RenewalSchedule::Entry& entry,
                                 engine::Lease asked, Time now) const noexcept {
  if (!entry.renewed) return entry.sent + entry.lease - now;  // extends nothing
  if (entry.cap == Time::max()) return asked;
  const engine::Lease full = asked.count() != 0 ? asked : around_.ttl;
  return std::min<engine::Lease>(full, entry.cap - now);
}

void Keeper::renew(Work& work) {
  std::vector<engine::Stake> stakes;
  stakes.reserve(work.renew.size());
  for (const Renewal& each : work.renew) {
    stakes.push_back({&each.claim.bound->resource(), &each.claim.claim});
  }
  const Time sent = Clock::now();
  const auto outcome = around_.session.renew(stakes, work.until);
  const Time now = Clock::now();

  base::MutexLock lock(mutex_);
  next_beat_ = outcome ? sent + third() : now + std::min<Clock::duration>(third(), 1s);
  std::size_t renewed = 0;
  auto slack = std::chrono::nanoseconds::max();
  std::error_code trouble = outcome ? std::error_code{} : outcome.error().code;
  for (std::size_t i = 0; i < stakes.size(); ++i) {
    const auto id = work.renew[i].id;
    const auto* const entry = schedule_.find(id);
    if (entry == nullptr) continue;
    const std::error_code code = outcome ? stakes[i].outcome : outcome.error().code;
    if (outcome && code == Errc::not_held) {
      if ((*tenures_.find(id))->changes() == work.renew[i].changes) {
        lose(id, Why::gone);
      } else {
        schedule_.failed(id, now);
      }
    } else if (code) {
      trouble = code;
      schedule_.failed(id, now);
    } else {
      if (entry->deadline() != Time::max()) {
        slack = std::min<std::chrono::nanoseconds>(slack, entry->deadline() - now);
      }
      ++renewed;
      schedule_.renewed(id, sent, stakes[i].granted.lease);
      (*tenures_.find(id))->extend(entry->deadline());
    }
  }
  if (around_.metrics != nullptr && renewed > 0) {
    around_.metrics->renewed(renewed, slack);
  }
  if (trouble) {
    warn(now, "renewal failed: " + trouble.message() +
                  "; it is repeated until the leases are over");
  }
}

void Keeper::drop(Work& work) {
  for (Doomed& doomed : work.drop) {
    const Bound& bound = *doomed.claim.bound;
    const auto until = bound.bounded() ? work.until : engine::Deadline::max();
    const auto dropped = bound.resource().drop(doomed.claim.claim, until);
    if (dropped || !base::is_transient(dropped.error())) continue;

    const Time now = Clock::now();
    doomed.due = now + drop_pause(doomed.failures++);
    base::MutexLock lock(mutex_);
    if (doomed.failures == 1) {
      warn(now, "a claim on \"" + std::string(bound.name()) +
                    "\" could not be given back yet: " + dropped.error().message());
    }
    doomed_.push_back(std::move(doomed));
  }
}

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

// The timer is a thread that looks at the clock and never waits for anything else.

#include <algorithm>

#include "core/lease_renewer.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostDroppers = 4;

// The pause before the next try to start a thread that the system did not give.
constexpr Clock::duration kNoThreadPause = 10ms;

}  // namespace

// Returns whether the timer will never have anything to do again.
bool LeaseRenewer::done() const {
  return stopping_ || (closing_ && drops_.empty() && droppers_ == 0);
}

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

// Does everything that is due at `now`, and returns when to come back.
Clock::time_point LeaseRenewer::step(Time now) {
  const Time renewals = start_renewals(now);
  return std::min({renewals, start_drops(now), retry_notifications(now)});
}

Clock::time_point LeaseRenewer::start_renewals(Time now) {
  const auto plan = schedule_.poll(now);
  for (const auto id : plan.lost) lose(id, Why::over);

  Time next = plan.next;
  for (const auto& call : plan.calls) {
    if (workers_->post([this, call] { renew(call); })) continue;
    for (const auto id : call.ids) schedule_.postponed(id, call.answer_due, now);
    next = std::min(next, now + kNoThreadPause);
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
  next_heartbeat_ =
      now + (started ? renewal_interval() : engine::LeaseTime(kNoThreadPause));
}

Clock::time_point LeaseRenewer::start_drops(Time now) {
  Time next = Time::max();
  std::size_t due = 0;
  for (const PendingDrop& drop : drops_) {
    if (drop.due <= now) {
      ++due;
    } else {
      next = std::min(next, drop.due);
    }
  }
  for (; due > 0 && droppers_ < kMostDroppers; --due) {
    if (!workers_->post([this] { drop_due(); })) return now + kNoThreadPause;
    ++droppers_;
  }
  return next;
}

// Posts the losses again for which the notifier had no thread.
Clock::time_point LeaseRenewer::retry_notifications(Time now) {
  while (!pending_notifications_.empty()) {
    if (!deps_.notifier.try_post(pending_notifications_.back()))
      return now + kNoThreadPause;
    pending_notifications_.pop_back();
  }
  return Time::max();
}

}  // namespace holdfast::core

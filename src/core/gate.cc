#include "core/gate.h"

#include <algorithm>
#include <functional>

namespace holdfast::core {

Result<Gate::Turn> Gate::enter(const LeaseOptions& lease, Timeout wait,
                               engine::Deadline until, const std::stop_token* stop) {
  Waiter self{&lease, {}, {}};
  {
    base::MutexLock lock(mutex_);
    if (closed_) return Errc::closed;
    if (turn_ == 0 && waiters_.empty()) {
      turn_ = ++last_turn_;
      return Turn{turn_, {}};
    }
    if (wait.is_zero()) return Errc::timed_out;
    waiters_.push_back(&self);
  }

  // Made and destroyed without the mutex, which its callback takes.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  if (stop != nullptr && stop->stop_possible()) {
    on_stop.emplace(*stop, [this, &self] {
      base::MutexLock lock(mutex_);
      self.changed.notify_one();
    });
  }

  base::MutexLock lock(mutex_);
  for (;;) {
    if (self.turn) return *self.turn;
    const auto now =
        until == engine::Deadline::max() ? Clock::time_point{} : Clock::now();
    const bool cancelled = stop != nullptr && stop->stop_requested();
    if (closed_ || cancelled || now >= until) {
      waiters_.remove(&self);
      if (closed_) return Errc::closed;
      return cancelled ? Errc::cancelled : Errc::timed_out;
    }
    if (until == engine::Deadline::max()) {
      self.changed.wait(lock);
    } else {
      self.changed.wait_for(
          lock, std::min<Clock::duration>(until - now, std::chrono::seconds(1)));
    }
  }
}

void Gate::pass_on(std::optional<Grant> grant) noexcept {
  if (waiters_.empty()) {
    turn_ = 0;
    return;
  }
  Waiter* const next = waiters_.front();
  waiters_.pop_front();
  turn_ = ++last_turn_;
  if (grant) grant->turn = turn_;
  next->turn = Turn{turn_, grant};
  next->changed.notify_one();
}

void Gate::leave(std::uint64_t turn) noexcept {
  base::MutexLock lock(mutex_);
  if (turn != 0 && turn == turn_) pass_on(std::nullopt);
}

bool Gate::hand_over(Grant grant, const LeaseOptions& lease,
                     Clock::time_point end) noexcept {
  if (grant.spare_tokens == 0) return false;
  if (!lease.renewed || !lease.cap.is_forever()) return false;
  const auto now = Clock::now();
  if (now >= end || now - grant.since >= most_) return false;

  base::MutexLock lock(mutex_);
  if (closed_ || grant.turn != turn_ || waiters_.empty()) return false;
  if (*waiters_.front()->lease != lease) return false;
  ++grant.token.value;
  --grant.spare_tokens;
  pass_on(grant);
  return true;
}

std::size_t Gate::waiting() noexcept {
  base::MutexLock lock(mutex_);
  return waiters_.size();
}

void Gate::close() noexcept {
  base::MutexLock lock(mutex_);
  closed_ = true;
  for (Waiter* waiter : waiters_) waiter->changed.notify_one();
}

}  // namespace holdfast::core

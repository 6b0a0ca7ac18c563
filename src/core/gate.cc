#include "core/gate.h"

#include <algorithm>
#include <functional>

#include "base/stripes.h"

namespace holdfast::core {
namespace {

base::Stripes& stripes() noexcept {
  static base::Stripes* const forever = new base::Stripes;
  return *forever;
}

}  // namespace

base::Mutex& Gate::mutex() const noexcept { return stripes().of(this); }

void Gate::append(Waiter& waiter) noexcept {
  Waiter** end = &first_;
  while (*end != nullptr) end = &(*end)->next;
  *end = &waiter;
}

void Gate::remove(const Waiter& waiter) noexcept {
  Waiter** link = &first_;
  while (*link != &waiter) link = &(*link)->next;
  *link = waiter.next;
}

Result<Gate::Turn> Gate::enter(const LeaseOptions& lease, Timeout wait,
                               engine::Deadline until, const std::stop_token* stop) {
  Waiter self{&lease, {}, {}, nullptr};
  {
    base::MutexLock lock(mutex());
    if (closed_) return Errc::closed;
    if (!taken_) {
      taken_ = true;
      return Turn{++turn_, {}};
    }
    if (wait.is_zero()) return Errc::timed_out;
    append(self);
  }

  // Made and destroyed without the mutex, which its callback takes.
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  if (stop != nullptr && stop->stop_possible()) {
    on_stop.emplace(*stop, [this, &self] {
      base::MutexLock lock(mutex());
      self.changed.notify_one();
    });
  }

  base::MutexLock lock(mutex());
  for (;;) {
    if (self.turn) return *self.turn;
    const auto now =
        until == engine::Deadline::max() ? Clock::time_point{} : Clock::now();
    const bool cancelled = stop != nullptr && stop->stop_requested();
    if (closed_ || cancelled || now >= until) {
      remove(self);
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
  Waiter* const next = first_;
  if (next == nullptr) {
    taken_ = false;
    return;
  }
  first_ = next->next;
  ++turn_;
  if (grant) grant->turn = turn_;
  next->turn = Turn{turn_, grant};
  next->changed.notify_one();
}

void Gate::leave(std::uint64_t turn) noexcept {
  base::MutexLock lock(mutex());
  if (taken_ && turn == turn_) pass_on(std::nullopt);
}

bool Gate::hand_over(Grant grant, const LeaseOptions& lease,
                     Clock::time_point end) noexcept {
  if (grant.spare_tokens == 0) return false;
  if (!lease.renewed || !lease.cap.is_forever()) return false;
  if (Clock::now() >= end) return false;

  base::MutexLock lock(mutex());
  if (closed_ || !taken_ || grant.turn != turn_ || first_ == nullptr) return false;
  if (*first_->lease != lease) return false;
  if (!grant.one_token) ++grant.token.value;
  --grant.spare_tokens;
  pass_on(grant);
  return true;
}

std::size_t Gate::waiting() noexcept {
  base::MutexLock lock(mutex());
  std::size_t count = 0;
  for (const Waiter* each = first_; each != nullptr; each = each->next) ++count;
  return count;
}

void Gate::close() noexcept {
  base::MutexLock lock(mutex());
  closed_ = true;
  for (Waiter* each = first_; each != nullptr; each = each->next) {
    each->changed.notify_one();
  }
}

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "core/gate.h"

#include <pthread.h>

#include <algorithm>
#include <functional>

#include "base/stripes.h"
#include "base/time_left.h"
#include "holdfast/lock_reason.h"

namespace holdfast::core {
namespace {

constinit base::Stripes gate_stripes;

// The queue points to waiters on the stacks of their threads, so such a thread must not
// be cancelled. A request to cancel it stays pending.
class NotCancelled {
 public:
  NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;

 private:
  int before_ = 0;
};

}  // namespace

base::Mutex& Gate::mutex() const noexcept { return gate_stripes.of(this); }

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

Result<Gate::Turn> Gate::enter(const LeaseOptions& lease, const Limits& limits,
                               const std::stop_token* stop) {
  Waiter self{&lease, {}, {}};
  self.speaks = LockReason::innermost() != nullptr;
  {
    base::MutexLock lock(mutex());
    if (closed_) return Errc::closed;
    if (!taken_) {
      taken_ = true;
      answer_ = Answer::none;
      return Turn{++turn_, {}};
    }
    append(self);
  }

  const NotCancelled while_queued;
  // The callback takes the mutex, so it is registered and removed without it.
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
    const bool unlimited = limits.turn == engine::Deadline::max();
    const auto now = unlimited ? Clock::time_point{} : Clock::now();
    self.overdue = now >= limits.turn;
    if (const auto refusal = why_not(self, now >= limits.answer, stop)) {
      remove(self);
      return *refusal;
    }
    if (unlimited) {
      self.changed.wait(lock);
    } else {
      const auto until = self.overdue ? limits.answer : limits.turn;
      self.changed.wait_for(lock, base::time_left(until, std::chrono::seconds(1)));
    }
  }
}

// Returns nothing as long as the thread should go on waiting.
std::optional<Errc> Gate::why_not(const Waiter& waiter, bool out_of_patience,
                                  const std::stop_token* stop) const noexcept {
  if (closed_) return Errc::closed;
  if (stop != nullptr && stop->stop_requested()) return Errc::cancelled;
  if (!waiter.overdue) return std::nullopt;
  switch (answer_) {
    case Answer::blocked:
    case Answer::granted:
      return Errc::timed_out;
    case Answer::failed:
      return Errc::unavailable;
    case Answer::none:
      break;
  }
  return out_of_patience ? std::optional(Errc::unavailable) : std::nullopt;
}

void Gate::learn(std::uint64_t turn, Answer answer) noexcept {
  base::MutexLock lock(mutex());
  if (taken_ && turn == turn_) set_answer(answer);
}

void Gate::set_answer(Answer answer) noexcept {
  answer_ = answer;
  for (Waiter* each = first_; each != nullptr; each = each->next) {
    if (each->overdue) each->changed.notify_one();
  }
}

void Gate::pass_on(std::optional<LeaseStart> grant) noexcept {
  Waiter* const next = first_;
  if (next == nullptr) {
    taken_ = false;
    return;
  }
  first_ = next->next;
  ++turn_;
  set_answer(grant ? Answer::granted : Answer::none);
  if (grant) grant->turn = turn_;
  next->turn = Turn{turn_, grant};
  next->changed.notify_one();
}

void Gate::leave(std::uint64_t turn) noexcept {
  base::MutexLock lock(mutex());
  if (taken_ && turn == turn_) pass_on(std::nullopt);
}

bool Gate::hand_over(LeaseStart grant, const LeaseOptions& lease,
                     Clock::time_point end) noexcept {
  if (grant.spare_tokens == 0) return false;
  if (!lease.renewed || !lease.cap.is_forever()) return false;
  if (Clock::now() >= end) return false;

  base::MutexLock lock(mutex());
  if (closed_ || !taken_ || grant.turn != turn_ || first_ == nullptr) return false;
  // The next thread gets this very claim, so it must have asked for the same lease, and
  // must not have a payload of its own.
  if (*first_->lease != lease || first_->speaks) return false;
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

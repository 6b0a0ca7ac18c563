// SPDX-License-Identifier: Apache-2.0

#include "core/gate.h"

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "base/stripes.h"
#include "base/thread_signal.h"

namespace holdfast::core {
namespace {

constinit base::Stripes gate_stripes;

// The thread with the turn may have got it just when a waiter's time is over. The
// waiter waits this much longer for the first answer to that thread.
constexpr Clock::duration kGrace = std::chrono::milliseconds(250);

engine::Deadline with_grace(engine::Deadline limit) noexcept {
  return limit < engine::Deadline::max() - kGrace ? limit + kGrace : limit;
}

// A request to cancel the thread stays pending.
class NotCancelled {
 public:
  NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;

 private:
  int before_ = 0;
};

// A condition variable does not count the time that the host sleeps.
engine::Deadline in_a_second_at_most(engine::Deadline until) noexcept {
  if (until == engine::Deadline::max()) return until;
  return std::min(until, Clock::now() + std::chrono::seconds(1));
}

}  // namespace

Gate::Waiter::Waiter(const LeaseOptions& lease, bool has_own_payload) noexcept
    : lease_(&lease), turn_{0, nullptr}, has_own_payload_(has_own_payload) {}

base::Mutex& Gate::mutex() const noexcept { return gate_stripes.of(this); }

void Gate::append(Waiter& waiter, engine::Signal& signal) noexcept {
  waiter.signal_ = &signal;
  waiter.previous_ = last_;
  (last_ != nullptr ? last_->next_ : first_) = &waiter;
  last_ = &waiter;
}

void Gate::remove(Waiter& waiter) noexcept {
  if (waiter.signal_ == nullptr) return;
  set_overdue(waiter, false);
  waiter.signal_ = nullptr;
  (waiter.next_ != nullptr ? waiter.next_->previous_ : last_) = waiter.previous_;
  (waiter.previous_ != nullptr ? waiter.previous_->next_ : first_) = waiter.next_;
}

// The overdue ones are counted, so that an answer does not have to look for them in a
// long queue.
void Gate::set_overdue(Waiter& waiter, bool overdue) noexcept {
  if (std::exchange(waiter.overdue_, overdue) == overdue) return;
  overdue ? ++overdue_ : --overdue_;
}

Result<engine::Deadline> Gate::poll_turn(Waiter& waiter, const Limits& limits,
                                         engine::Signal* signal, bool stopped) {
  constexpr auto kAtOnce = engine::Deadline::min();
  base::MutexLock lock(mutex());
  if (waiter.turn_.number == 0 && waiter.signal_ == nullptr && !closed_ && !taken_) {
    taken_ = true;
    answer_ = Answer::none;
    waiter.turn_.number = ++turn_;
  }
  waiter.served_ = waiter.turn_.number != 0;
  if (waiter.served_) return kAtOnce;
  const bool unlimited = limits.turn == engine::Deadline::max();
  const auto now = unlimited ? Clock::time_point{} : Clock::now();
  const bool overdue = now >= limits.turn;
  const auto answer = with_grace(limits.answer);
  if (const auto why = refusal(overdue, now >= answer, stopped)) {
    remove(waiter);
    return *why;
  }
  if (signal == nullptr) return kAtOnce;
  if (waiter.signal_ == nullptr) append(waiter, *signal);
  set_overdue(waiter, overdue);
  return overdue ? answer : limits.turn;
}

Gate::Turn Gate::withdraw(Waiter& waiter) noexcept {
  base::MutexLock lock(mutex());
  remove(waiter);
  return std::exchange(waiter.turn_, Turn{});
}

// Nothing is made to sleep on before it is known that the turn is taken.
Result<void> Gate::enter(Waiter& waiter, const Limits& limits,
                         const std::stop_token* stop) {
  const bool stopped = stop != nullptr && stop->stop_requested();
  const auto until = poll_turn(waiter, limits, nullptr, stopped);
  if (!until) return until.error();
  return waiter.served() ? Result<void>() : wait_for_turn(waiter, limits, stop);
}

Result<void> Gate::wait_for_turn(Waiter& waiter, const Limits& limits,
                                 const std::stop_token* stop) {
  base::ThreadSignal signal;
  // The queue points to the waiter, so a thread must not be cancelled while it is
  // there.
  const NotCancelled while_queued;
  std::optional<std::stop_callback<std::function<void()>>> on_stop;
  for (;;) {
    const bool stopped = stop != nullptr && stop->stop_requested();
    const auto until = poll_turn(waiter, limits, &signal, stopped);
    if (!until) return until.error();
    if (waiter.served()) return {};
    // If the stop was requested since then, the callback rings at once.
    if (!on_stop && stop != nullptr && stop->stop_possible()) {
      on_stop.emplace(*stop, [&signal] { signal.ring(); });
    }
    signal.wait(in_a_second_at_most(*until));
  }
}

// Returns nothing as long as the thread should go on waiting.
std::optional<Errc> Gate::refusal(bool overdue, bool answer_overdue,
                                  bool stopped) const noexcept {
  if (closed_) return Errc::closed;
  if (stopped) return Errc::cancelled;
  if (!overdue) return std::nullopt;
  switch (answer_) {
    case Answer::blocked:
    case Answer::granted:
      return Errc::timed_out;
    case Answer::failed:
      return Errc::unavailable;
    case Answer::none:
      break;
  }
  return answer_overdue ? std::optional(Errc::unavailable) : std::nullopt;
}

void Gate::report_answer(std::uint64_t turn, Answer answer) noexcept {
  base::MutexLock lock(mutex());
  if (taken_ && turn == turn_) set_answer(answer);
}

void Gate::set_answer(Answer answer) noexcept {
  answer_ = answer;
  if (overdue_ == 0) return;
  for (Waiter* each = first_; each != nullptr; each = each->next_) {
    if (each->overdue_) each->signal_->ring();
  }
}

void Gate::pass_on(std::unique_ptr<LeaseStart> grant) noexcept {
  Waiter* const next = first_;
  if (next == nullptr) {
    taken_ = false;
    return;
  }
  engine::Signal& signal = *next->signal_;
  remove(*next);
  ++turn_;
  set_answer(grant ? Answer::granted : Answer::none);
  if (grant) grant->turn = turn_;
  next->turn_ = Turn{turn_, std::move(grant)};
  signal.ring();
}

void Gate::leave(std::uint64_t turn) noexcept {
  base::MutexLock lock(mutex());
  if (taken_ && turn == turn_) pass_on(nullptr);
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
  if (*first_->lease_ != lease || first_->has_own_payload_) return false;
  if (!grant.one_token) ++grant.token.value;
  --grant.spare_tokens;
  // The waiters have no room for a grant, since there may be very many of them.
  std::unique_ptr<LeaseStart> handed(new (std::nothrow) LeaseStart(grant));
  if (handed == nullptr) return false;
  pass_on(std::move(handed));
  return true;
}

std::size_t Gate::waiting() noexcept {
  base::MutexLock lock(mutex());
  std::size_t count = 0;
  for (const Waiter* each = first_; each != nullptr; each = each->next_) ++count;
  return count;
}

void Gate::close() noexcept {
  base::MutexLock lock(mutex());
  closed_ = true;
  for (Waiter* each = first_; each != nullptr; each = each->next_)
    each->signal_->ring();
}

}  // namespace holdfast::core

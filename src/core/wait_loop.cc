// SPDX-License-Identifier: Apache-2.0

#include "core/wait_loop.h"

#include <algorithm>
#include <utility>

#include "base/common_failures.h"
#include "core/explain.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

// A call may take this long however short the wait is, because a server may be pausing
// or changing its leader.
constexpr std::chrono::nanoseconds kShortestCall = 1s;
constexpr int kShortestPart = 10;  // of a ttl

Time deadline_after(Time start, std::chrono::nanoseconds span) noexcept {
  return Timeout(span).deadline_from(start);
}

// The signal that this thread sleeps on when it waits for a server. The thread keeps
// it, so that having one at the first poll costs an uncontended lock nothing.
struct OwnSignal {
  std::uint64_t client = 0;  // the id of the client whose session made it
  engine::Waker waker;
  ~OwnSignal();
};
constinit thread_local bool own_signal_ended = false;
constinit thread_local OwnSignal own_signal;

// Destructors of other thread_local objects may still wait after this; they get a
// borrowed signal.
OwnSignal::~OwnSignal() { own_signal_ended = true; }

}  // namespace

WaitLoop::Armed::Armed(ClientState& client, bool leased, const engine::Waker& waker,
                       const std::stop_token* stop)
    : sleeper(client.signals(), waker), renewer(leased ? &client.renewer() : nullptr) {
  if (stop != nullptr && stop->stop_possible()) {
    on_stop = std::make_unique<RingOnStop>(*stop, RingSignal{waker.get()});
  }
  if (renewer != nullptr) renewer->add_waiter();
}

WaitLoop::Armed::~Armed() {
  if (renewer != nullptr) renewer->remove_waiter();
}

WaitLoop::FailureStreak::FailureStreak(Failure failure, base::Backoff pauses)
    : why(std::move(failure)), backoff(pauses) {}

WaitLoop::WaitLoop(const BoundResource& bound, Timeout wait,
                   const std::stop_token* stop) noexcept
    : bound_(bound),
      client_(bound.client()),
      wait_(wait),
      stop_(stop),
      started_(false),
      polled_(false),
      asking_(false),
      until_(Time::max()) {}

WaitLoop::~WaitLoop() = default;

bool WaitLoop::stopped() const noexcept {
  return stop_ != nullptr && stop_->stop_requested();
}

engine::Deadline WaitLoop::end_of(Timeout wait) noexcept {
  return wait.is_zero() ? Time::max() : wait.deadline();
}

void WaitLoop::start() noexcept {
  if (!started_) start(end_of(wait_));
}

void WaitLoop::start(engine::Deadline until) noexcept {
  started_ = true;
  until_ = until;
}

Result<WaitLoop::Step> WaitLoop::step(const engine::Waker& waker,
                                      const Poll& poll_once) {
  if (auto why = why_not_poll()) return *std::move(why);
  const auto answer = poll_once(waker);
  asking_ = false;
  return next_step(waker, answer);
}

Result<WaitLoop::Step> WaitLoop::step_posted(const engine::Waker& waker,
                                             const PostedPoll& poll_once) {
  if (auto why = why_not_poll()) return *std::move(why);
  const auto posted = poll_once(waker);
  asking_ = !posted.answer.has_value();
  if (!asking_) return next_step(waker, *posted.answer);
  if (!posted.under_way) return Step{false, Time::min(), true};
  // Something else than the answer has rung.
  if (auto why = over()) return *std::move(why);
  return Step{false, Time::max()};
}

// A question that is under way may be answered after the time is over.
std::optional<Failure> WaitLoop::why_not_poll() {
  if (std::exchange(polled_, true)) return asking_ ? std::nullopt : over();
  if (stopped()) return base::wait_cancelled(bound_.name());
  start();
  return std::nullopt;
}

Result<WaitLoop::Step> WaitLoop::next_step(const engine::Waker& waker,
                                           const Result<Pause>& answer) {
  if (answer) {
    streak_.reset();
    if (!*answer) return Step{true, Time{}};
    if (wait_.is_zero()) return Errc::timed_out;
  } else if (auto why = note_failure(answer.error())) {
    return *std::move(why);
  }
  // A client that is being closed rings the signals that it knows of. If it was closed
  // before it knew of this one, `over` sees that below.
  if (waker != nullptr && !armed_) {
    armed_.emplace(client_, bound_.leased(), waker, stop_);
  }
  if (auto why = over()) return *std::move(why);
  if (waker == nullptr) return Step{false, Time::min()};
  const auto pause = streak_ ? streak_->pause : **answer;
  return Step{false, std::min(until_, deadline_after(Clock::now(), pause))};
}

Result<void> WaitLoop::run(First first, const Poll& poll_once) {
  std::optional<SignalPool::BorrowedSignal> lent;
  engine::Waker waker;
  if (first == First::with_waker) waker = signal(lent);
  for (;;) {
    const auto next = step(waker, poll_once);
    if (!next) return next.error();
    if (next->done) return {};
    if (waker == nullptr) {
      waker = signal(lent);
    } else {
      waker->wait(next->sleep_until);
    }
  }
}

engine::Waker WaitLoop::signal(std::optional<SignalPool::BorrowedSignal>& lent) const {
  if (!bound_.leased() || own_signal_ended) {
    return lent.emplace(client_.signals().borrow()).waker();
  }
  if (own_signal.client != client_.id()) {
    own_signal.waker = client_.session().signal();
    own_signal.client = client_.id();
  }
  return own_signal.waker;
}

std::optional<Failure> WaitLoop::note_failure(const Failure& why) {
  if (!base::is_transient(why)) return explain_wrong_kind(bound_, why);
  if (!streak_) {
    streak_ = std::make_unique<FailureStreak>(why, base::Backoff(client_.retry()));
  }
  streak_->why = why;
  base::Backoff& backoff = streak_->backoff;
  streak_->pause = backoff.failed();
  if (wait_.is_zero()) return why;
  if (backoff.is_exhausted()) return backoff.explain(why);
  // A wait without any limit must not last for ever if the engine is dead.
  const bool limited = until_ != Time::max() || client_.retry().times.has_value();
  if (!limited && backoff.elapsed() >= client_.ttl()) return why;
  return std::nullopt;
}

std::optional<Failure> WaitLoop::over() const {
  if (!client_.usable()) return client_.why_unusable(bound_.name());
  if (stopped()) return base::wait_cancelled(bound_.name());
  if (until_ == Time::max() || Clock::now() < until_) return std::nullopt;
  return streak_ ? streak_->why : Failure(Errc::timed_out);
}

engine::Deadline WaitLoop::call_deadline(Time now) const noexcept {
  // Such an engine always answers, unless another process is stopped inside an update.
  if (!bound_.bounded()) return wait_.is_zero() ? engine::Deadline::min() : until_;
  const auto longest = client_.call_time();
  const auto shortest = std::min(
      std::max<std::chrono::nanoseconds>(client_.ttl() / kShortestPart, kShortestCall),
      longest);
  if (wait_.is_zero()) return deadline_after(now, shortest);
  return std::clamp(until_, deadline_after(now, shortest),
                    deadline_after(now, longest));
}

}  // namespace holdfast::core

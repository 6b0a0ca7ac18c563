#include "core/wait_loop.h"

#include <algorithm>

#include "core/explain.h"

namespace holdfast::core {
namespace {

using namespace std::chrono_literals;
using Time = Clock::time_point;

// However short the wait: a server may be pausing, or changing its leader.
constexpr std::chrono::nanoseconds kShortestCall = 1s;
constexpr int kShortestPart = 10;  // of a ttl

Time later(Time start, std::chrono::nanoseconds span) noexcept {
  return Timeout(span).deadline_from(start);
}

}  // namespace

void WaitLoop::start() noexcept {
  if (started_) return;
  started_ = true;
  if (!wait_.is_zero()) until_ = wait_.deadline();
}

Result<void> WaitLoop::run(bool armed) {
  if (stopped()) return Errc::cancelled;
  start();
  if (armed) arm();
  const engine::Waker nobody;
  for (;;) {
    const auto answer = ask(armed ? signal_->waker() : nobody);
    if (answer) {
      trouble_.reset();
      if (!*answer) return {};
      if (wait_.is_zero()) return Errc::timed_out;
    } else if (auto why = endure(answer.error())) {
      return *std::move(why);
    }
    if (auto why = over()) return *std::move(why);
    if (!armed) {
      arm();
      armed = true;
      continue;
    }
    const auto pause = trouble_ ? pause_ : **answer;
    signal_->waker()->wait(std::min(until_, later(Clock::now(), pause)));
    if (auto why = over()) return *std::move(why);
  }
}

void WaitLoop::arm() {
  signal_.emplace(hub().signals().borrow());
  if (bound_.leased()) waiting_.emplace(hub().keeper());
  if (stop_ != nullptr && stop_->stop_possible()) {
    on_stop_.emplace(*stop_, Ring{signal_->waker().get()});
  }
}

std::optional<Failure> WaitLoop::endure(const Failure& why) {
  if (!base::is_transient(why)) return explain_wrong_kind(bound_, why);
  if (!trouble_) backoff_ = base::Backoff(hub().retry());
  trouble_ = why;
  pause_ = backoff_.failed();
  if (wait_.is_zero()) return why;
  if (backoff_.is_exhausted()) return backoff_.explain(why);
  const bool limited = until_ != Time::max() || hub().retry().times.has_value();
  if (!limited && backoff_.elapsed() >= hub().ttl()) return why;
  return std::nullopt;
}

std::optional<Failure> WaitLoop::over() const {
  if (!hub().usable()) return hub().why_unusable();
  if (stopped()) return Failure(Errc::cancelled);
  if (until_ == Time::max() || Clock::now() < until_) return std::nullopt;
  return trouble_ ? *trouble_ : Failure(Errc::timed_out);
}

engine::Deadline WaitLoop::call_deadline(Time now) const noexcept {
  // An engine that always answers, but for a process that is stopped inside an update.
  if (!bound_.bounded()) return wait_.is_zero() ? engine::Deadline::min() : until_;
  const auto longest = hub().call_time();
  const auto shortest = std::min(
      std::max<std::chrono::nanoseconds>(hub().ttl() / kShortestPart, kShortestCall),
      longest);
  if (wait_.is_zero()) return later(now, shortest);
  return std::clamp(until_, later(now, shortest), later(now, longest));
}

}  // namespace holdfast::core

// SPDX-License-Identifier: Apache-2.0

#include "run/stopping.h"

#include <algorithm>

#include "holdfast/timeout.h"

namespace holdfast::cli {

using namespace std::chrono_literals;

Stopping::Stopping(OnLost policy, Duration kill_after, Time now, Time end) noexcept
    : policy_(policy), kill_after_(kill_after), end_(end) {
  if (end == Time::max()) return;
  const Duration lease = end - now;
  margin_ = std::clamp<Duration>(lease / 10, 20ms, 1s);
  if (policy == OnLost::term) grace_ = std::min(kill_after, lease / 5);
}

void Stopping::extend(Time end) noexcept {
  if (state_ == State::running) end_ = end;
}

Stopping::Time Stopping::before_end(Duration span) const noexcept {
  return end_ == Time::max() ? end_ : end_ - span;
}

Stopping::Step Stopping::end(Time now) noexcept {
  lost_ = true;
  const Time patience = Timeout(kill_after_).deadline_from(now);
  kill_at_ = policy_ == OnLost::kill ? now : std::min(patience, before_end(margin_));
  state_ = kill_at_ > now ? State::ending : State::ended;
  return kill_at_ > now ? Step::signal : Step::kill;
}

Stopping::Step Stopping::step(Time now) noexcept {
  const bool alive = state_ == State::running || state_ == State::warned;
  if (alive && orphan_) return end(now);
  if (state_ == State::running && (told_ || now >= before_end(margin_ + grace_))) {
    if (policy_ != OnLost::warn) return end(now);
    lost_ = true;
    state_ = State::warned;
    return Step::warn;
  }
  if (state_ == State::ending && now >= kill_at_) {
    state_ = State::ended;
    return Step::kill;
  }
  return Step::none;
}

Stopping::Time Stopping::next() const noexcept {
  if (state_ == State::running) return before_end(margin_ + grace_);
  return state_ == State::ending ? kill_at_ : Time::max();
}

Stopping::Time Stopping::overdue() const noexcept {
  if (state_ != State::ending && state_ != State::ended) return Time::max();
  return Timeout(margin_ == Duration::zero() ? Duration(500ms) : margin_ / 2)
      .deadline_from(kill_at_);
}

}  // namespace holdfast::cli

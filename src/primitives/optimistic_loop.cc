// SPDX-License-Identifier: Apache-2.0

#include "primitives/optimistic_loop.h"

#include <algorithm>
#include <utility>

#include "base/cork.h"
#include "base/pause.h"
#include "primitives/register.h"

namespace holdfast::primitives {

using core::WaitLoop;
using namespace std::chrono_literals;

Result<Change> OptimisticLoop::run() {
  if (!bound_.client().usable()) return bound_.client().why_unusable(bound_.name());
  return finish(loop_.run(WaitLoop::First::bare,
                          [this](const engine::Waker&) { return poll_once(); }));
}

Result<WaitLoop::Step> OptimisticLoop::step(const engine::Waker& waker) {
  if (!bound_.client().usable()) return bound_.client().why_unusable(bound_.name());
  return loop_.step(waker, [this](const engine::Waker&) { return poll_once(); });
}

Result<Change> OptimisticLoop::finish(const Result<void>& done) {
  if (gave_up_) return unknown_outcome(bound_, *gave_up_);
  if (!done && swap_ && swap_->in_doubt_since) {
    return unknown_outcome(bound_, done.error());
  }
  if (!done) return done.error();
  return change_;
}

Result<WaitLoop::Pause> OptimisticLoop::poll_once() {
  if (!swap_) {
    if (auto chosen = choose(); !chosen) return std::move(chosen).error();
    if (!swap_) return WaitLoop::Pause();
  }
  const auto outcome = bound_.resource().exchange(*seen_, swap_->to, swap_->ticket,
                                                  loop_.call_deadline(Clock::now()));
  if (!outcome) {
    if (outcome.error().code == Errc::outcome_unknown && !swap_->in_doubt_since) {
      swap_->in_doubt_since = Clock::now();
    }
    if (!doubted_for_too_long()) return outcome.error();
    gave_up_ = outcome.error();
    return WaitLoop::Pause();
  }
  seen_ = outcome->now;
  const Swap swap = *std::exchange(swap_, std::nullopt);
  if (!outcome->done) return WaitLoop::Pause(pause());
  change_.done = true;
  change_.after = swap.to;
  return WaitLoop::Pause();
}

bool OptimisticLoop::doubted_for_too_long() const {
  return swap_->in_doubt_since &&
         Clock::now() - *swap_->in_doubt_since >= bound_.client().ttl();
}

// Sets `swap_`, unless `next` wants no change.
Result<void> OptimisticLoop::choose() {
  if (!seen_) {
    auto value = bound_.resource().load(loop_.call_deadline(Clock::now()));
    if (!value) return std::move(value).error();
    seen_ = *value;
  }
  ++change_.tries;
  change_.before = change_.after = seen_->number;
  const base::Cork::Lifted lifted;  // `next` is the program's.
  if (const auto wanted = next_(seen_->number)) {
    swap_ = Swap{*wanted, bound_.client().next_ticket()};
  }
  return {};
}

// The pause grows with the number of tries. It is random, so that callers that have
// collided do not collide again.
std::chrono::nanoseconds OptimisticLoop::pause() const {
  return base::random_part(std::min<std::chrono::nanoseconds>(
      50us * (1 << std::min(change_.tries, 10u)), 20ms));
}

}  // namespace holdfast::primitives

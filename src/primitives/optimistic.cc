#include "primitives/optimistic.h"

#include <algorithm>

#include "base/pause.h"
#include "primitives/register.h"

namespace holdfast::primitives {

using namespace std::chrono_literals;

Result<Change> Optimistic::run() {
  constexpr bool kAtOnce = false;
  if (!bound_.hub().usable()) return bound_.hub().why_unusable();
  auto done = WaitLoop::run(kAtOnce);
  if (!done) return std::move(done).error();
  return change_;
}

Result<core::WaitLoop::Pause> Optimistic::ask(const engine::Waker&) {
  if (!seen_) {
    const auto value = load(bound_);
    if (!value) return value.error();
    seen_ = *value;
  }
  ++change_.tries;
  change_.before = change_.after = seen_->number;
  const auto wanted = next_(seen_->number);
  if (!wanted) return Pause();
  const auto outcome = exchange(bound_, *seen_, *wanted);
  if (!outcome) return outcome.error();
  seen_ = outcome->now;
  if (!outcome->done) return Pause(pause());
  change_.done = true;
  change_.after = *wanted;
  return Pause();
}

// Grows with the number of tries, and is never the same for two who collide.
std::chrono::nanoseconds Optimistic::pause() const {
  return base::random_part(std::min<std::chrono::nanoseconds>(
      50us * (1 << std::min(change_.tries, 10u)), 20ms));
}

}  // namespace holdfast::primitives

#include "primitives/optimistic.h"

#include <algorithm>
#include <random>

#include "core/ask.h"

namespace holdfast::primitives {

using engine::Exchanged;
using engine::Value;
using namespace std::chrono_literals;

Result<Exchanged> exchange(const core::Bound& bound, const Value& from,
                           std::optional<std::int64_t> to) {
  const auto ticket = bound.hub().next_ticket();
  return core::ask_engine<Exchanged>(bound, [&](engine::Deadline until) {
    return bound.resource().exchange(from, to, ticket, until);
  });
}

Result<Change> Optimistic::run() {
  constexpr bool kAtOnce = false;
  if (!bound_.hub().usable()) return bound_.hub().why_unusable();
  auto done = WaitLoop::run(kAtOnce);
  if (!done) return std::move(done).error();
  return change_;
}

Result<core::WaitLoop::Pause> Optimistic::ask(const engine::Waker&) {
  if (!seen_) {
    const auto value = core::ask_engine<Value>(
        bound_, [&](engine::Deadline until) { return bound_.resource().load(until); });
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
  static thread_local std::minstd_rand random{std::random_device{}()};
  const auto longest = std::min<std::chrono::nanoseconds>(
      50us * (1 << std::min(change_.tries, 10u)), 20ms);
  return std::chrono::nanoseconds(
      std::uniform_int_distribution<std::int64_t>(0, longest.count())(random));
}

}  // namespace holdfast::primitives

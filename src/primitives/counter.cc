// SPDX-License-Identifier: Apache-2.0

#include "holdfast/counter.h"

#include <limits>
#include <utility>

#include "primitives/bound_primitive.h"
#include "primitives/optimistic.h"
#include "primitives/register.h"

namespace holdfast::inline v0 {

using engine::Value;

class Counter::Impl : public primitives::BoundPrimitive {
  using BoundPrimitive::BoundPrimitive;
};

Counter::Counter(Client client, std::string name)
    : impl_(std::make_unique<Impl>(std::move(client), engine::Kind::counter,
                                   std::move(name))) {}

Counter::~Counter() = default;

Result<std::int64_t> Counter::get() {
  if (impl_->trouble()) return *impl_->trouble();
  const auto value = primitives::load(*impl_->bound());
  if (!value) return value.error();
  return value->number;
}

Result<Change> Counter::add(std::int64_t by) {
  if (impl_->trouble()) return *impl_->trouble();
  const auto now = primitives::add(*impl_->bound(), by);
  if (!now) return now.error();
  return Change{.done = true, .before = now->number - by, .after = now->number};
}

Result<Change> Counter::subtract(std::int64_t by) {
  if (by == std::numeric_limits<std::int64_t>::min()) {
    return Failure(Errc::bad_argument,
                   "the smallest number cannot be subtracted from counter " +
                       impl_->quoted() + ", since its negative does not fit");
  }
  return add(-by);
}

Result<Change> Counter::compare_exchange(std::int64_t expected, std::int64_t desired) {
  if (impl_->trouble()) return *impl_->trouble();
  // A counter that was never written is zero, too, but the engine tells it from a zero
  // that was written. So a second exchange may be needed.
  Value from{expected, engine::kAnyVersion};
  for (Change change;; ++change.tries) {
    const auto outcome = primitives::exchange(*impl_->bound(), from, desired);
    if (!outcome) return outcome.error();
    const Value& now = outcome->now;
    change.done = outcome->done;
    change.before = outcome->done ? expected : now.number;
    change.after = now.number;
    if (outcome->done || now.number != expected) return change;
    const bool never_written = now.version == 0;
    if (never_written) --change.tries;
    from = never_written ? Value{} : Value{expected, engine::kAnyVersion};
  }
}

Result<Change> Counter::exchange(std::int64_t desired) {
  return update([desired](std::int64_t) { return desired; });
}

Result<Change> Counter::update(const Next& next, const WaitOptions& options) {
  if (impl_->trouble()) return *impl_->trouble();
  primitives::Optimistic loop(*impl_->bound(), options, next);
  return loop.run();
}

std::string_view Counter::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/counter.h"

#include <limits>
#include <utility>

#include "primitives/ask_async.h"
#include "primitives/bound_primitive.h"
#include "primitives/register.h"
#include "primitives/update_async.h"

namespace holdfast::inline v0 {

using engine::Value;

namespace {

constexpr auto kSmallest = std::numeric_limits<std::int64_t>::min();

// The questions that both forms of a call ask.
auto getting() {
  return primitives::then(primitives::Load(),
                          [](const Value& value) { return value.number; });
}
auto adding(std::int64_t by) {
  return primitives::then(primitives::Add(by), [by](const Value& now) {
    return Change{.done = true, .before = now.number - by, .after = now.number};
  });
}

// A counter that was never written is zero, too, but the engine tells it from a zero
// that was written. So a second exchange may be needed.
class Swapping {
 public:
  using Answer = Change;
  Swapping(std::int64_t expected, std::int64_t desired) noexcept
      : expected_(expected), exchange_(Value{expected, engine::kAnyVersion}, desired) {}

  Result<Change> operator()(const core::BoundResource& bound, engine::Deadline until) {
    for (;; ++change_.tries) {
      const auto outcome = exchange_(bound, until);
      if (!outcome) return outcome.error();
      const Value& now = outcome->now;
      change_.done = outcome->done;
      change_.before = outcome->done ? expected_ : now.number;
      change_.after = now.number;
      if (outcome->done || now.number != expected_) return change_;
      const bool never_written = now.version == 0;
      if (never_written) --change_.tries;
      exchange_.restart(never_written ? Value{}
                                      : Value{expected_, engine::kAnyVersion});
    }
  }
  Failure explain(const core::BoundResource& bound, const Failure& why) const {
    return exchange_.explain(bound, why);
  }

 private:
  const std::int64_t expected_;
  primitives::Exchange exchange_;
  Change change_;
};

}  // namespace

class Counter::Impl : public primitives::BoundPrimitive {
 public:
  using BoundPrimitive::BoundPrimitive;

  Failure cannot_subtract() const {
    return {Errc::bad_argument,
            "the smallest number cannot be subtracted from counter " + quoted() +
                ", since its negative does not fit: subtract a larger one"};
  }
};

Counter::Counter(Client client, std::string name)
    : impl_(std::make_unique<Impl>(std::move(client), engine::Kind::counter,
                                   std::move(name))) {}

Counter::~Counter() = default;

Result<std::int64_t> Counter::get() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), getting());
}

Result<Change> Counter::add(std::int64_t by) {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), adding(by));
}

Result<Change> Counter::subtract(std::int64_t by) {
  if (by == kSmallest) return impl_->cannot_subtract();
  return add(-by);
}

Result<Change> Counter::compare_exchange(std::int64_t expected, std::int64_t desired) {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), Swapping(expected, desired));
}

Result<Change> Counter::exchange(std::int64_t desired) {
  return update([desired](std::int64_t) { return desired; });
}

Result<Change> Counter::update(const Next& next, const WaitOptions& options) {
  if (impl_->bind_error()) return *impl_->bind_error();
  primitives::OptimisticLoop loop(*impl_->bound(), options, next);
  return loop.run();
}

void Counter::get_async(Completion<std::int64_t> done) {
  primitives::ask_async(*impl_, getting(), std::move(done));
}

void Counter::add_async(std::int64_t by, Completion<Change> done) {
  primitives::ask_async(*impl_, adding(by), std::move(done));
}

void Counter::subtract_async(std::int64_t by, Completion<Change> done) {
  if (by != kSmallest) return add_async(-by, std::move(done));
  core::complete_soon<Change>(impl_->state(), std::move(done),
                              impl_->cannot_subtract());
}

void Counter::compare_exchange_async(std::int64_t expected, std::int64_t desired,
                                     Completion<Change> done) {
  primitives::ask_async(*impl_, Swapping(expected, desired), std::move(done));
}

void Counter::exchange_async(std::int64_t desired, Completion<Change> done) {
  update_async([desired](std::int64_t) { return desired; }, {}, std::move(done));
}

void Counter::update_async(Next next, const WaitOptions& options,
                           Completion<Change> done) {
  primitives::update_async(*impl_, std::move(next), options, std::move(done));
}

std::string_view Counter::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

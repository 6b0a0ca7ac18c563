// SPDX-License-Identifier: Apache-2.0

#include "holdfast/latch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/common_failures.h"
#include "core/wait_until.h"
#include "primitives/ask_async.h"
#include "primitives/bound_primitive.h"
#include "primitives/register.h"

namespace holdfast::inline v0 {
namespace {

using engine::Value;

std::int64_t left_of(const Value& value) noexcept {
  return std::max<std::int64_t>(value.number, 0);
}

// The questions that both forms of a call ask.
auto setting(std::int64_t count) {
  return primitives::then(primitives::Exchange({}, count),
                          [](const engine::Exchanged& set) { return set.done; });
}
auto counting_down(std::int64_t by) {
  return primitives::then(primitives::Add(-by), left_of);
}
auto counting() { return primitives::then(primitives::Load(), left_of); }

// Looks whether the latch is open.
struct LatchOpen {
  Result<bool> operator()(const core::BoundResource& bound, engine::Deadline until) {
    const auto value = bound.resource().load(until);
    if (!value) return value.error();
    left = value->number;
    return left <= 0;
  }
  std::string still(const core::BoundResource& bound) const {
    return "latch " + base::in_quotes(bound.name()) + " still counts " +
           std::to_string(left);
  }
  std::int64_t left = 0;
};

}  // namespace

class Latch::Impl : public primitives::BoundPrimitive {
 public:
  using BoundPrimitive::BoundPrimitive;

  // Return why a call cannot be made, if it cannot.
  std::optional<Failure> refuse_count(std::int64_t count) const {
    if (bind_error() || count >= 1) return bind_error();
    return Failure(Errc::bad_argument,
                   "latch " + quoted() + " can only be set to one or more");
  }
  std::optional<Failure> refuse_step(std::int64_t by) const {
    if (bind_error() || by >= 1) return bind_error();
    return Failure(Errc::bad_argument,
                   "latch " + quoted() + " only counts down by one or more");
  }
};

Latch::Latch(Client client, std::string name)
    : impl_(std::make_unique<Impl>(std::move(client), engine::Kind::latch,
                                   std::move(name))) {}

Latch::~Latch() = default;

Result<bool> Latch::set_count(std::int64_t count) {
  if (auto why = impl_->refuse_count(count)) return *std::move(why);
  return primitives::ask(*impl_->bound(), setting(count));
}

Result<std::int64_t> Latch::count_down(std::int64_t by) {
  if (auto why = impl_->refuse_step(by)) return *std::move(why);
  return primitives::ask(*impl_->bound(), counting_down(by));
}

Result<std::int64_t> Latch::count() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), counting());
}

Result<void> Latch::wait(const WaitOptions& options) {
  if (impl_->bind_error()) return *impl_->bind_error();
  return core::wait_until(impl_->bound(), options, LatchOpen());
}

void Latch::set_count_async(std::int64_t count, Completion<bool> done) {
  if (auto why = impl_->refuse_count(count)) {
    return core::complete_soon<bool>(impl_->state(), std::move(done), *std::move(why));
  }
  primitives::ask_async(*impl_, setting(count), std::move(done));
}

void Latch::count_down_async(std::int64_t by, Completion<std::int64_t> done) {
  if (auto why = impl_->refuse_step(by)) {
    return core::complete_soon<std::int64_t>(impl_->state(), std::move(done),
                                             *std::move(why));
  }
  primitives::ask_async(*impl_, counting_down(by), std::move(done));
}

void Latch::count_async(Completion<std::int64_t> done) {
  primitives::ask_async(*impl_, counting(), std::move(done));
}

void Latch::wait_async(const WaitOptions& options, Completion<void> done) {
  if (impl_->bind_error()) {
    return core::complete_soon<void>(impl_->state(), std::move(done),
                                     *impl_->bind_error());
  }
  core::wait_until_async(impl_->state(), impl_->bound(), options, LatchOpen(),
                         std::move(done));
}

std::string_view Latch::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

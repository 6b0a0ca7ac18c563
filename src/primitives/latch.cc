// SPDX-License-Identifier: Apache-2.0

#include "holdfast/latch.h"

#include <algorithm>
#include <utility>

#include "core/wait_until.h"
#include "primitives/bound_primitive.h"
#include "primitives/register.h"

namespace holdfast::inline v0 {
namespace {

using engine::Value;

bool is_open(const Value& value) noexcept { return value.number <= 0; }

}  // namespace

class Latch::Impl : public primitives::BoundPrimitive {
  using BoundPrimitive::BoundPrimitive;
};

Latch::Latch(Client client, std::string name)
    : impl_(std::make_unique<Impl>(std::move(client), engine::Kind::latch,
                                   std::move(name))) {}

Latch::~Latch() = default;

Result<bool> Latch::set_count(std::int64_t count) {
  if (impl_->trouble()) return *impl_->trouble();
  if (count < 1) {
    return Failure(Errc::bad_argument,
                   "latch " + impl_->quoted() + " can only be set to one or more");
  }
  const auto set = primitives::exchange(*impl_->bound(), {}, count);
  if (!set) return set.error();
  return set->done;
}

Result<std::int64_t> Latch::count_down(std::int64_t by) {
  if (impl_->trouble()) return *impl_->trouble();
  if (by < 1) {
    return Failure(Errc::bad_argument,
                   "latch " + impl_->quoted() + " only counts down by one or more");
  }
  const auto left = primitives::add(*impl_->bound(), -by);
  if (!left) return left.error();
  return std::max<std::int64_t>(left->number, 0);
}

Result<std::int64_t> Latch::count() {
  if (impl_->trouble()) return *impl_->trouble();
  const auto left = primitives::load(*impl_->bound());
  if (!left) return left.error();
  return std::max<std::int64_t>(left->number, 0);
}

Result<void> Latch::wait(const WaitOptions& options) {
  if (impl_->trouble()) return *impl_->trouble();
  std::int64_t left = 0;
  auto open = core::wait_until(*impl_->bound(), options, [&](engine::Deadline until) {
    const auto value = impl_->resource().load(until);
    if (!value) return Result<bool>(value.error());
    left = value->number;
    return Result<bool>(is_open(*value));
  });
  if (!open && open.error().code == Errc::timed_out) {
    return Failure(Errc::timed_out, "latch " + impl_->quoted() + " still counts " +
                                        std::to_string(left));
  }
  return open;
}

std::string_view Latch::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/shared_count.h"

#include <utility>

#include "primitives/bound_primitive.h"
#include "primitives/register.h"
#include "primitives/subscribe.h"

namespace holdfast::inline v0 {

using engine::Value;

class SharedCount::Impl : public primitives::BoundPrimitive {
 public:
  Impl(Client client, std::string name, std::int64_t seed)
      : BoundPrimitive(std::move(client), engine::Kind::shared_count, std::move(name)),
        seed_(seed) {}

  Versioned seen(const Value& value) const noexcept {
    if (value.version == 0) return {seed_, 0};
    return {value.number, value.version};
  }

  Result<Set> exchange(const Versioned& from, std::int64_t to) {
    const Value value{from.version == 0 ? 0 : from.number, from.version};
    const auto outcome = primitives::exchange(*bound(), value, to);
    if (!outcome) return outcome.error();
    return Set{outcome->done, seen(outcome->now)};
  }

 private:
  const std::int64_t seed_;
};

SharedCount::SharedCount(Client client, std::string name, std::int64_t seed)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(name), seed)) {}

SharedCount::~SharedCount() = default;

Result<Versioned> SharedCount::get() {
  if (impl_->trouble()) return *impl_->trouble();
  const auto value = primitives::load(*impl_->bound());
  if (!value) return value.error();
  return impl_->seen(*value);
}

Result<SharedCount::Set> SharedCount::compare_exchange(const Versioned& seen,
                                                       std::int64_t number) {
  if (impl_->trouble()) return *impl_->trouble();
  return impl_->exchange(seen, number);
}

Result<Versioned> SharedCount::set(std::int64_t number) {
  auto seen = get();
  if (!seen) return seen;
  for (Versioned from = *seen;;) {
    const auto set = impl_->exchange(from, number);
    if (!set) return set.error();
    if (set->done) return set->now;
    from = set->now;
  }
}

Result<Subscription> SharedCount::on_change(
    std::function<void(const Versioned&)> listener, Executor executor) {
  const auto first = get();
  if (!first) return first.error();
  auto look = [impl = impl_, listener = std::move(listener), last = *first](
                  engine::Deadline until) mutable -> Result<core::Subscriber::News> {
    const auto value = impl->resource().load(until);
    if (!value) return value.error();
    const Versioned now = impl->seen(*value);
    if (now == last) return core::Subscriber::News();
    last = now;
    return core::Subscriber::News([listener, now] { listener(now); });
  };
  return primitives::subscribe(*impl_, std::move(look), std::move(executor));
}

std::string_view SharedCount::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

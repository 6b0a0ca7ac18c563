// SPDX-License-Identifier: Apache-2.0

#include "holdfast/shared_count.h"

#include <optional>
#include <utility>

#include "primitives/ask_async.h"
#include "primitives/bound_primitive.h"
#include "primitives/register.h"
#include "primitives/subscribe.h"

namespace holdfast::inline v0 {

using engine::Value;

namespace {

Versioned seen_as(const Value& value, std::int64_t seed) noexcept {
  if (value.version == 0) return {seed, 0};
  return {value.number, value.version};
}

Value stored_as(const Versioned& seen) noexcept {
  return {seen.version == 0 ? 0 : seen.number, seen.version};
}

// The questions that both forms of a call ask.
auto getting_count(std::int64_t seed) {
  return primitives::then(primitives::Load(),
                          [seed](const Value& value) { return seen_as(value, seed); });
}
auto swapping_count(const Versioned& from, std::int64_t to, std::int64_t seed) {
  return primitives::then(
      primitives::Exchange(stored_as(from), to),
      [seed](const engine::Exchanged& outcome) {
        return SharedCount::Set{outcome.done, seen_as(outcome.now, seed)};
      });
}

// Reads the count and swaps it, until no other client comes between.
class SettingCount {
 public:
  using Answer = Versioned;
  SettingCount(std::int64_t to, std::int64_t seed) noexcept : to_(to), seed_(seed) {}

  Result<Versioned> operator()(const core::BoundResource& bound,
                               engine::Deadline until) {
    if (!exchange_) {
      const auto value = bound.resource().load(until);
      if (!value) return value.error();
      exchange_.emplace(*value, to_);
    }
    for (;;) {
      const auto outcome = (*exchange_)(bound, until);
      if (!outcome) return outcome.error();
      if (outcome->done) return seen_as(outcome->now, seed_);
      exchange_->restart(outcome->now);
    }
  }
  Failure explain(const core::BoundResource& bound, const Failure& why) const {
    return exchange_ ? exchange_->explain(bound, why) : why;
  }

 private:
  const std::int64_t to_;
  const std::int64_t seed_;
  std::optional<primitives::Exchange> exchange_;
};

}  // namespace

class SharedCount::Impl : public primitives::BoundPrimitive {
 public:
  Impl(Client client, std::string name, std::int64_t seed)
      : BoundPrimitive(std::move(client), engine::Kind::shared_count, std::move(name)),
        seed_(seed) {}

  std::int64_t seed() const noexcept { return seed_; }
  Versioned seen(const Value& value) const noexcept { return seen_as(value, seed_); }

 private:
  const std::int64_t seed_;
};

SharedCount::SharedCount(Client client, std::string name, std::int64_t seed)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(name), seed)) {}

SharedCount::~SharedCount() = default;

Result<Versioned> SharedCount::get() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), getting_count(impl_->seed()));
}

Result<SharedCount::Set> SharedCount::compare_exchange(const Versioned& seen,
                                                       std::int64_t number) {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), swapping_count(seen, number, impl_->seed()));
}

Result<Versioned> SharedCount::set(std::int64_t number) {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), SettingCount(number, impl_->seed()));
}

void SharedCount::get_async(Completion<Versioned> done) {
  primitives::ask_async(*impl_, getting_count(impl_->seed()), std::move(done));
}

void SharedCount::compare_exchange_async(const Versioned& seen, std::int64_t number,
                                         Completion<Set> done) {
  primitives::ask_async(*impl_, swapping_count(seen, number, impl_->seed()),
                        std::move(done));
}

void SharedCount::set_async(std::int64_t number, Completion<Versioned> done) {
  primitives::ask_async(*impl_, SettingCount(number, impl_->seed()), std::move(done));
}

// A question: looks at the count, and subscribes to what changes after that.
class SharedCount::Subscribing {
 public:
  using Answer = Subscription;
  using Callback = std::function<void(const Versioned&)>;
  Subscribing(std::shared_ptr<Impl> impl, Callback listener, Executor executor)
      : impl_(std::move(impl)),
        listener_(std::move(listener)),
        executor_(std::move(executor)) {}

  Result<Subscription> operator()(const core::BoundResource& bound,
                                  engine::Deadline until) {
    const auto first = bound.resource().load(until);
    if (!first) return first.error();
    auto look = [impl = impl_, listener = std::move(listener_),
                 last = impl_->seen(*first)](
                    engine::Deadline by) mutable -> Result<core::Subscriber::News> {
      const auto value = impl->resource().load(by);
      if (!value) return value.error();
      const Versioned now = impl->seen(*value);
      if (now == last) return core::Subscriber::News();
      core::Subscriber::News news = [listener, now] { listener(now); };
      last = now;
      return news;
    };
    return primitives::subscribe(*impl_, std::move(look), std::move(executor_));
  }
  Failure explain(const core::BoundResource&, const Failure& why) const { return why; }

 private:
  std::shared_ptr<Impl> impl_;
  Callback listener_;
  Executor executor_;
};

Result<Subscription> SharedCount::on_change(
    std::function<void(const Versioned&)> listener, Executor executor) {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(),
                         Subscribing(impl_, std::move(listener), std::move(executor)));
}

void SharedCount::on_change_async(std::function<void(const Versioned&)> listener,
                                  Executor executor, Completion<Subscription> done) {
  primitives::ask_async(*impl_,
                        Subscribing(impl_, std::move(listener), std::move(executor)),
                        std::move(done));
}

std::string_view SharedCount::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

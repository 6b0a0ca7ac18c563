// SPDX-License-Identifier: Apache-2.0

#include "holdfast/barrier.h"

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

// A barrier that is set reads as 1, also if another library has set it.
constexpr engine::Value kAbsent{};
constexpr engine::Value kSet{1, engine::kAnyVersion};

// The questions that both forms of a call ask.
auto exchanging(const engine::Value& from, std::optional<std::int64_t> to) {
  return primitives::then(primitives::Exchange(from, to),
                          [](const engine::Exchanged& done) { return done.done; });
}
auto looking() {
  return primitives::then(primitives::Load(), [](const engine::Value& value) {
    return value.version != 0;
  });
}

// Looks whether the barrier is gone.
struct BarrierGone {
  Result<bool> operator()(const core::BoundResource& bound, engine::Deadline until) {
    return looking()(bound, until).transform([](bool set) { return !set; });
  }
  std::string still(const core::BoundResource& bound) const {
    return "barrier " + base::in_quotes(bound.name()) + " is still set";
  }
};

}  // namespace

class Barrier::Impl : public primitives::BoundPrimitive {
  using BoundPrimitive::BoundPrimitive;
};

Barrier::Barrier(Client client, std::string name)
    : impl_(std::make_unique<Impl>(std::move(client), engine::Kind::barrier,
                                   std::move(name))) {}

Barrier::~Barrier() = default;

Result<bool> Barrier::set() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), exchanging(kAbsent, 1));
}

Result<bool> Barrier::remove() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), exchanging(kSet, std::nullopt));
}

Result<bool> Barrier::is_set() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), looking());
}

Result<void> Barrier::wait(const WaitOptions& options) {
  if (impl_->bind_error()) return *impl_->bind_error();
  return core::wait_until(impl_->bound(), options, BarrierGone());
}

void Barrier::set_async(Completion<bool> done) {
  primitives::ask_async(*impl_, exchanging(kAbsent, 1), std::move(done));
}

void Barrier::remove_async(Completion<bool> done) {
  primitives::ask_async(*impl_, exchanging(kSet, std::nullopt), std::move(done));
}

void Barrier::is_set_async(Completion<bool> done) {
  primitives::ask_async(*impl_, looking(), std::move(done));
}

void Barrier::wait_async(const WaitOptions& options, Completion<void> done) {
  if (impl_->bind_error()) {
    return core::complete_soon<void>(impl_->state(), std::move(done),
                                     *impl_->bind_error());
  }
  core::wait_until_async(impl_->state(), impl_->bound(), options, BarrierGone(),
                         std::move(done));
}

std::string_view Barrier::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/barrier.h"

#include <utility>

#include "core/retry.h"
#include "core/wait_until.h"
#include "primitives/bound_primitive.h"
#include "primitives/register.h"

namespace holdfast::inline v0 {
namespace {

// A barrier that is set reads as 1, also if another library has set it.
constexpr engine::Value kAbsent{};
constexpr engine::Value kSet{1, engine::kAnyVersion};

}  // namespace

class Barrier::Impl : public primitives::BoundPrimitive {
 public:
  using BoundPrimitive::BoundPrimitive;

  Result<bool> exchange(const engine::Value& from, std::optional<std::int64_t> to) {
    const auto done = primitives::exchange(*bound(), from, to);
    if (!done) return done.error();
    return done->done;
  }

  Result<bool> is_set(engine::Deadline until) {
    const auto value = resource().load(until);
    if (!value) return value.error();
    return value->version != 0;
  }
};

Barrier::Barrier(Client client, std::string name)
    : impl_(std::make_unique<Impl>(std::move(client), engine::Kind::barrier,
                                   std::move(name))) {}

Barrier::~Barrier() = default;

Result<bool> Barrier::set() {
  if (impl_->trouble()) return *impl_->trouble();
  return impl_->exchange(kAbsent, 1);
}

Result<bool> Barrier::remove() {
  if (impl_->trouble()) return *impl_->trouble();
  return impl_->exchange(kSet, std::nullopt);
}

Result<bool> Barrier::is_set() {
  if (impl_->trouble()) return *impl_->trouble();
  return core::call_with_retry<bool>(
      *impl_->bound(), [&](engine::Deadline until) { return impl_->is_set(until); });
}

Result<void> Barrier::wait(const WaitOptions& options) {
  if (impl_->trouble()) return *impl_->trouble();
  auto gone = core::wait_until(*impl_->bound(), options, [&](engine::Deadline until) {
    return impl_->is_set(until).transform([](bool set) { return !set; });
  });
  if (!gone && gone.error().code == Errc::timed_out) {
    return Failure(Errc::timed_out, "barrier " + impl_->quoted() + " is still set");
  }
  return gone;
}

std::string_view Barrier::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

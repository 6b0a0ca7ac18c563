// SPDX-License-Identifier: Apache-2.0

#include "primitives/lease_slot.h"

#include <utility>

#include "base/stripes.h"
#include "core/client_state.h"

namespace holdfast::primitives {
namespace {

constinit base::Stripes slot_stripes;

}  // namespace

LeaseSlot::LeaseSlot(core::BoundResourcePtr bound) noexcept
    : bound_(std::move(bound)) {}

base::Mutex& LeaseSlot::mutex() const noexcept { return slot_stripes.of(this); }

std::shared_ptr<core::Lease> LeaseSlot::lease() const noexcept {
  base::MutexLock lock(mutex());
  return lease_;
}

Result<void> LeaseSlot::take(const core::AcquireRequest& request) {
  return adopt(core::acquire(bound_, request), request.lease);
}

Result<void> LeaseSlot::adopt(const Result<core::LeaseStart>& start,
                              const LeaseOptions& lease) {
  auto taken = core::Lease::begin(nullptr, bound_, start, lease);
  if (!taken) return std::move(taken).error();
  base::MutexLock lock(mutex());
  // A lease that is still in the slot was lost, and its thread has yet to give it up.
  std::swap(lease_, *taken);
  if (*taken != nullptr) ++displaced_;
  return {};
}

Result<void> LeaseSlot::give_up(core::Confirm confirm) noexcept {
  if (bound_->client().forked()) return Errc::forked;
  std::shared_ptr<core::Lease> lease;
  {
    base::MutexLock lock(mutex());
    if (lease_ == nullptr) return Errc::not_held;
    if (displaced_ > 0) {
      --displaced_;
      return {};
    }
    std::swap(lease, lease_);
  }
  return lease->release(confirm);
}

FencingToken LeaseSlot::token() const noexcept {
  if (bound_->client().forked()) return {};
  const auto present = lease();
  return present != nullptr ? present->token() : FencingToken{};
}

std::stop_token LeaseSlot::lost() const noexcept {
  if (bound_->client().forked()) return core::already_lost();
  const auto present = lease();
  return present != nullptr ? present->lost() : core::already_lost();
}

bool LeaseSlot::intact() const noexcept {
  if (!bound_->client().usable()) return false;
  const auto present = lease();
  return present != nullptr && present->intact();
}

}  // namespace holdfast::primitives

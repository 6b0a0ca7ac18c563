// SPDX-License-Identifier: Apache-2.0

#include "holdfast/mutex.h"

#include <utility>
#include <variant>

#include "core/access.h"
#include "core/client_state.h"
#include "core/lease_call.h"
#include "primitives/lease_slot.h"
#include "primitives/light_lock.h"

namespace holdfast::inline v0 {

using primitives::LeaseSlot;
using primitives::LightLock;

class Mutex::Impl {
 public:
  Impl(engine::Kind kind, Client client, std::string name, const LeaseOptions& lease)
      : client_(std::move(client)), lease_(lease) {
    auto bound = bind(kind, name);
    if (!bound) {
      lock_ = std::unique_ptr<Unbound>(
          new Unbound{std::move(name), std::move(bound).error()});
    } else if (LightLock::fits(**bound, lease_)) {
      lock_.emplace<LightLock>(*std::move(bound));
    } else {
      lock_.emplace<LeaseSlot>(*std::move(bound));
    }
  }

  // At most one of these is not null. Both are null if the name could not be bound.
  LightLock* light() noexcept { return std::get_if<LightLock>(&lock_); }
  LeaseSlot* slot() noexcept { return std::get_if<LeaseSlot>(&lock_); }

  // REQUIRES: light() and slot() are null.
  const Failure& unbound() const noexcept { return std::get<0>(lock_)->why; }

  const Client& client() const noexcept { return client_; }
  const LeaseOptions& lease() const noexcept { return lease_; }

  // Returns null if the name could not be bound; `unbound()` then says why.
  const core::BoundResourcePtr* bound() noexcept {
    if (LightLock* const lock = light()) return &lock->bound();
    LeaseSlot* const leased = slot();
    return leased != nullptr ? &leased->bound() : nullptr;
  }
  std::string_view name() noexcept {
    const core::BoundResourcePtr* const known = bound();
    return known != nullptr ? (*known)->name() : std::get<0>(lock_)->name;
  }

  Result<void> take(const core::AcquireRequest& request) {
    if (LightLock* const lock = light()) return lock->take(request);
    LeaseSlot* const leased = slot();
    return leased != nullptr ? leased->take(request) : Result<void>(unbound());
  }

 private:
  struct Unbound {
    std::string name;
    Failure why;
  };

  Result<core::BoundResourcePtr> bind(engine::Kind kind,
                                      const std::string& name) const {
    if (kind == engine::Kind::fair_mutex && !client_.traits(kind).orders) {
      return Failure(Errc::unsupported,
                     "\"" + name +
                         "\" cannot be a fair lock, since this engine does not grant "
                         "in order of arrival: use a Mutex or another engine");
    }
    return core::Access::state(client_)->bind({kind, name});
  }

  const Client client_;
  const LeaseOptions lease_;
  std::variant<std::unique_ptr<Unbound>, LightLock, LeaseSlot> lock_;
};

Mutex::Mutex(Client client, std::string name, LeaseOptions lease)
    : Mutex(engine::Kind::mutex, std::move(client), std::move(name), lease) {}

Mutex::Mutex(engine::Kind kind, Client client, std::string name,
             const LeaseOptions& lease)
    : impl_(std::make_unique<Impl>(kind, std::move(client), std::move(name), lease)) {}

Mutex::~Mutex() = default;

Result<Hold> Mutex::acquire(const WaitOptions& options) {
  const core::BoundResourcePtr* const bound = impl_->bound();
  if (bound == nullptr) return impl_->unbound();
  auto lease = core::Lease::take(core::Access::state(impl_->client()), *bound,
                                 {impl_->lease(), options.wait, &options.stop});
  if (!lease) return std::move(lease).error();
  return core::Access::hold(*std::move(lease));
}

void Mutex::acquire_async(const WaitOptions& options, Completion<Hold> done) {
  const auto& client = core::Access::state(impl_->client());
  const core::BoundResourcePtr* const bound = impl_->bound();
  if (bound == nullptr) {
    return core::complete_soon<Hold>(client, std::move(done), impl_->unbound());
  }
  core::take_async(client, *bound, {impl_->lease(), options}, core::WrapHold<Hold>{},
                   std::move(done));
}

void Mutex::lock() {
  LightLock* const light = impl_->light();
  if (light != nullptr && light->take_at_once()) return;
  impl_->take({.lease = impl_->lease(), .tried = light != nullptr}).value();
}

bool Mutex::try_lock() { return try_lock_for(Timeout::zero()); }

bool Mutex::try_lock_for(Timeout wait) {
  constexpr bool kExplain = false;
  const auto taken = impl_->take({impl_->lease(), wait, nullptr, kExplain});
  if (!taken && taken.error().code == Errc::timed_out) return false;
  taken.value();
  return true;
}

void Mutex::unlock() noexcept {
  if (LightLock* const light = impl_->light()) {
    (void)light->give_up(core::Confirm::no);
  } else if (LeaseSlot* const slot = impl_->slot()) {
    (void)slot->give_up(core::Confirm::no);
  }
}

FencingToken Mutex::token() const noexcept {
  if (const LightLock* const light = impl_->light()) return light->token();
  const LeaseSlot* const slot = impl_->slot();
  return slot != nullptr ? slot->token() : FencingToken{};
}

std::stop_token Mutex::lost() const noexcept {
  if (LightLock* const light = impl_->light()) return light->lost();
  const LeaseSlot* const slot = impl_->slot();
  return slot != nullptr ? slot->lost() : core::already_lost();
}

std::string_view Mutex::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

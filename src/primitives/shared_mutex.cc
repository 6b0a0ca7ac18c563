// SPDX-License-Identifier: Apache-2.0

#include "holdfast/shared_mutex.h"

#include <utility>

#include "base/common_failures.h"
#include "core/access.h"
#include "core/lease.h"
#include "core/lease_call.h"
#include "primitives/bound_primitive.h"
#include "primitives/thread_claims.h"

namespace holdfast::inline v0 {

using core::Access;
using engine::Mode;
using primitives::ThreadClaims;

SharedHold::SharedHold(Hold hold) noexcept : Hold(std::move(hold)) {}

bool SharedHold::exclusive() const noexcept {
  const auto& lease = Access::lease(*this);
  return lease != nullptr && lease->claim().mode == Mode::exclusive;
}

Result<void> SharedHold::downgrade() noexcept {
  const auto& lease = Access::lease(*this);
  if (lease == nullptr) return base::empty_hold();
  if (!exclusive()) return {};
  engine::Claim reader = lease->claim();
  reader.mode = Mode::shared;
  return lease->amend(reader);
}

void SharedHold::downgrade_async(Completion<void> done) {
  const auto& lease = Access::lease(*this);
  if (lease == nullptr) {
    return core::complete_on_new_thread<void>(std::move(done), base::empty_hold());
  }
  if (!exclusive()) {
    return core::complete_soon<void>(lease->client_state(), std::move(done), {});
  }
  engine::Claim reader = lease->claim();
  reader.mode = Mode::shared;
  core::Lease::amend_async(lease, reader, std::move(done));
}

Result<void> SharedHold::upgrade() noexcept {
  if (exclusive()) return {};
  return base::reader_cannot_write(base::in_quotes(name()), Errc::would_deadlock);
}

class SharedMutex::Impl : public primitives::BoundPrimitive {
 public:
  Impl(Client client, std::string name, const LeaseOptions& lease)
      : BoundPrimitive(std::move(client), engine::Kind::shared_mutex, std::move(name)),
        lease_(lease) {
    if (bind_error()) return;
    holds_ = std::static_pointer_cast<ThreadClaims>(state()->attach_shared_state(
        *bound(), [&] { return std::make_shared<ThreadClaims>(bound()); }));
  }
  ~Impl() {
    if (holds_ != nullptr) state()->detach_shared_state(std::move(holds_), *bound());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> enter(Mode mode, Timeout wait, bool explain) {
    if (bind_error()) return *bind_error();
    return holds_->enter(
        {.lease = lease_, .wait = wait, .explain = explain, .mode = mode});
  }
  Result<void> leave(Mode mode) noexcept {
    return holds_ != nullptr ? holds_->leave(mode) : Result<void>(Errc::not_owner);
  }
  std::shared_ptr<core::Lease> mine() const noexcept {
    return holds_ != nullptr ? holds_->lease() : nullptr;
  }
  const LeaseOptions& lease() const noexcept { return lease_; }

  struct ToSharedHold {
    Result<SharedHold> operator()(Result<std::shared_ptr<core::Lease>> lease) const {
      if (!lease) return std::move(lease).error();
      return SharedHold(Access::hold(*std::move(lease)));
    }
  };

 private:
  const LeaseOptions lease_;
  std::shared_ptr<ThreadClaims> holds_;
};

SharedMutex::SharedMutex(Client client, std::string name, LeaseOptions lease)
    : impl_(std::make_unique<Impl>(std::move(client), std::move(name), lease)) {}

SharedMutex::~SharedMutex() = default;

Result<SharedHold> SharedMutex::acquire_as(Mode mode, const WaitOptions& options) {
  if (impl_->bind_error()) return *impl_->bind_error();
  return Impl::ToSharedHold()(core::Lease::take(impl_->state(), impl_->bound(),
                                                {.lease = impl_->lease(),
                                                 .wait = options.wait,
                                                 .stop = &options.stop,
                                                 .mode = mode}));
}

void SharedMutex::acquire_as_async(Mode mode, const WaitOptions& options,
                                   Completion<SharedHold> done) {
  if (impl_->bind_error()) {
    return core::complete_soon<SharedHold>(impl_->state(), std::move(done),
                                           *impl_->bind_error());
  }
  core::take_async(impl_->state(), impl_->bound(),
                   {.lease = impl_->lease(), .options = options, .mode = mode},
                   Impl::ToSharedHold(), std::move(done));
}

void SharedMutex::acquire_async(const WaitOptions& options,
                                Completion<SharedHold> done) {
  acquire_as_async(Mode::exclusive, options, std::move(done));
}

void SharedMutex::acquire_shared_async(const WaitOptions& options,
                                       Completion<SharedHold> done) {
  acquire_as_async(Mode::shared, options, std::move(done));
}

Result<SharedHold> SharedMutex::acquire(const WaitOptions& options) {
  return acquire_as(Mode::exclusive, options);
}

Result<SharedHold> SharedMutex::acquire_shared(const WaitOptions& options) {
  return acquire_as(Mode::shared, options);
}

void SharedMutex::lock() {
  impl_->enter(Mode::exclusive, Timeout::forever(), true).value();
}

void SharedMutex::lock_shared() {
  impl_->enter(Mode::shared, Timeout::forever(), true).value();
}

bool SharedMutex::try_lock() {
  return try_lock_within(Mode::exclusive, Timeout::zero());
}

bool SharedMutex::try_lock_shared() {
  return try_lock_within(Mode::shared, Timeout::zero());
}

bool SharedMutex::try_lock_within(Mode mode, Timeout wait) {
  return primitives::true_or_throw(impl_->enter(mode, wait, false));
}

void SharedMutex::unlock() noexcept { (void)impl_->leave(Mode::exclusive); }

void SharedMutex::unlock_shared() noexcept { (void)impl_->leave(Mode::shared); }

FencingToken SharedMutex::token() const noexcept {
  const auto lease = impl_->mine();
  return lease != nullptr ? lease->token() : FencingToken{};
}

std::stop_token SharedMutex::lost() const noexcept {
  const auto lease = impl_->mine();
  return lease != nullptr ? lease->lost() : core::already_lost();
}

std::string_view SharedMutex::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

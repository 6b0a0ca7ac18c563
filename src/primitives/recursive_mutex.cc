// SPDX-License-Identifier: Apache-2.0

#include "holdfast/recursive_mutex.h"

#include <optional>
#include <utility>

#include "core/client_state.h"
#include "primitives/reentrant_lock.h"

namespace holdfast::inline v0 {

using primitives::ReentrantLock;

class RecursiveMutex::Impl {
 public:
  Impl(Client client, std::string name, const LeaseOptions& lease)
      : client_(std::move(client)), name_(std::move(name)), lease_(lease) {
    auto bound = client_.state()->bind({engine::Kind::mutex, name_});
    if (!bound) {
      unbound_ = std::move(bound).error();
      return;
    }
    const core::BoundResource& resource = **bound;
    lock_ = std::static_pointer_cast<ReentrantLock>(client_.state()->join(
        resource, [&] { return std::make_shared<ReentrantLock>(*std::move(bound)); }));
  }
  ~Impl() {
    if (lock_ == nullptr) return;
    const core::BoundResource& resource = *lock_->bound();
    client_.state()->part(std::move(lock_), resource);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> enter(Timeout wait, const std::stop_token* stop, bool explain) {
    if (lock_ == nullptr) return *unbound_;
    return lock_->enter({lease_, wait, stop, explain});
  }
  ReentrantLock* shared() const noexcept { return lock_.get(); }
  const Failure& unbound() const noexcept { return *unbound_; }
  const std::string& name() const noexcept { return name_; }

 private:
  const Client client_;
  const std::string name_;
  const LeaseOptions lease_;
  std::shared_ptr<ReentrantLock> lock_;
  std::optional<Failure> unbound_;
};

RecursiveMutex::RecursiveMutex(Client client, std::string name, LeaseOptions lease)
    : impl_(std::make_unique<Impl>(std::move(client), std::move(name), lease)) {}

RecursiveMutex::~RecursiveMutex() = default;

Result<void> RecursiveMutex::acquire(const WaitOptions& options) {
  return impl_->enter(options.wait, &options.stop, true);
}

void RecursiveMutex::lock() {
  if (ReentrantLock* const lock = impl_->shared();
      lock != nullptr && lock->enter_again()) {
    return;
  }
  impl_->enter(Timeout::forever(), nullptr, true).value();
}

bool RecursiveMutex::try_lock() { return try_lock_for(Timeout::zero()); }

bool RecursiveMutex::try_lock_for(Timeout wait) {
  const auto entered = impl_->enter(wait, nullptr, false);
  if (!entered && entered.error().code == Errc::timed_out) return false;
  entered.value();
  return true;
}

void RecursiveMutex::unlock() noexcept {
  ReentrantLock* const lock = impl_->shared();
  if (lock != nullptr && !lock->leave_again()) {
    (void)lock->leave(core::Confirm::no);
  }
}

Result<void> RecursiveMutex::release() noexcept {
  ReentrantLock* const lock = impl_->shared();
  return lock != nullptr ? lock->leave(core::Confirm::yes)
                         : Result<void>(Errc::not_owner);
}

std::size_t RecursiveMutex::depth() const noexcept {
  const ReentrantLock* const lock = impl_->shared();
  return lock != nullptr ? lock->depth() : 0;
}

FencingToken RecursiveMutex::token() const noexcept {
  const ReentrantLock* const lock = impl_->shared();
  return lock != nullptr ? lock->token() : FencingToken{};
}

std::stop_token RecursiveMutex::lost() const noexcept {
  ReentrantLock* const lock = impl_->shared();
  return lock != nullptr ? lock->lost() : core::already_lost();
}

std::string_view RecursiveMutex::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

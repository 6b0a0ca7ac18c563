// SPDX-License-Identifier: Apache-2.0

#include "holdfast/recursive_mutex.h"

#include <optional>
#include <utility>

#include "base/common_failures.h"
#include "core/access.h"
#include "core/acquisition.h"
#include "core/client_state.h"
#include "core/retry_call.h"
#include "primitives/reentrant_lock.h"
#include "primitives/thread_id.h"

namespace holdfast::inline v0 {

using primitives::ReentrantLock;

class RecursiveMutex::Impl {
 public:
  Impl(Client client, std::string name, const LeaseOptions& lease)
      : client_(std::move(client)), name_(std::move(name)), lease_(lease) {
    auto bound = core::Access::state(client_)->bind({engine::Kind::mutex, name_});
    if (!bound) {
      unbound_ = std::move(bound).error();
      return;
    }
    const core::BoundResource& resource = **bound;
    lock_ = std::static_pointer_cast<ReentrantLock>(
        core::Access::state(client_)->attach_shared_state(resource, [&] {
          return std::make_shared<ReentrantLock>(*std::move(bound));
        }));
  }
  ~Impl() {
    if (lock_ == nullptr) return;
    const core::BoundResource& resource = *lock_->bound();
    core::Access::state(client_)->detach_shared_state(std::move(lock_), resource);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> enter(Timeout wait, const std::stop_token* stop, bool explain) {
    if (lock_ == nullptr) return *unbound_;
    return lock_->enter(primitives::this_thread(), {lease_, wait, stop, explain});
  }
  std::size_t depth(ReentrantLock::Owner owner) const noexcept {
    return lock_ != nullptr ? lock_->depth(owner) : 0;
  }
  FencingToken token(ReentrantLock::Owner owner) const noexcept {
    return lock_ != nullptr ? lock_->token(owner) : FencingToken{};
  }
  std::stop_token lost(ReentrantLock::Owner owner) const noexcept {
    return lock_ != nullptr ? lock_->lost(owner) : core::already_lost();
  }

  ReentrantLock* shared() const noexcept { return lock_.get(); }
  const std::shared_ptr<core::ClientState>& client() const noexcept {
    return core::Access::state(client_);
  }
  const LeaseOptions& lease() const noexcept { return lease_; }
  const Failure& unbound() const noexcept { return *unbound_; }
  const std::string& name() const noexcept { return name_; }

 private:
  const Client client_;
  const std::string name_;
  const LeaseOptions lease_;
  std::shared_ptr<ReentrantLock> lock_;
  std::optional<Failure> unbound_;
};

// An operation of core/call.h. It keeps the levels that the owners share.
class RecursiveMutex::Entering {
 public:
  Entering(std::shared_ptr<Impl> impl, ReentrantLock::Owner owner, WaitOptions options)
      : impl_(std::move(impl)),
        owner_(owner),
        options_(std::move(options)),
        request_{impl_->lease(), options_.wait, &options_.stop} {}

  // An owner that is inside enters again here, in the call of the program.
  std::optional<core::WaitLoop::Step> begin(const engine::Waker&) {
    outcome_ = impl_->shared()->try_enter(owner_);
    // A light hold has no turn to give back, so it must not get one.
    constexpr auto kForm = core::Acquisition::Form::blocking;
    if (!outcome_) acquisition_.emplace(impl_->shared()->bound(), request_, kForm);
    return std::nullopt;
  }

  Result<core::WaitLoop::Step> step(const engine::Waker& waker) {
    if (!outcome_ && !acquisition_) (void)begin(waker);  // There was no memory before.
    if (outcome_) return core::WaitLoop::Step{true, {}};
    return acquisition_->step(waker);
  }
  Result<void> finish(const Result<void>& ended) {
    if (outcome_) return *outcome_;
    if (!acquisition_) return ended;
    return impl_->shared()->settle(owner_, acquisition_->finish(ended), impl_->lease());
  }
  std::string_view name() const noexcept { return impl_->name(); }
  auto undo() {
    return [impl = impl_, owner = owner_] {
      leave_async(impl, owner, [](const Result<void>&) {});
    };
  }

  static void leave_async(const std::shared_ptr<Impl>& impl, ReentrantLock::Owner owner,
                          Completion<void> done) {
    ReentrantLock* const lock = impl->shared();
    const bool waits = lock != nullptr && lock->bound()->bounded();
    core::do_async<void>(
        impl->client(), waits,
        [impl, owner]() -> Result<void> {
          if (impl->shared() == nullptr) return base::not_the_owner(impl->name());
          return core::explain_release(
              *impl->shared()->bound(),
              impl->shared()->leave(owner, core::Confirm::yes));
        },
        std::move(done));
  }

 private:
  const std::shared_ptr<Impl> impl_;
  const ReentrantLock::Owner owner_;
  const WaitOptions options_;
  const core::AcquireRequest request_;
  std::optional<Result<void>> outcome_;  // if it need not wait
  std::optional<core::Acquisition> acquisition_;
};

RecursiveMutex::Owner::Owner() noexcept : id_(primitives::next_owner()) {}

RecursiveMutex::RecursiveMutex(Client client, std::string name, LeaseOptions lease)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(name), lease)) {}

RecursiveMutex::~RecursiveMutex() = default;

Result<void> RecursiveMutex::acquire(const WaitOptions& options) {
  return impl_->enter(options.wait, &options.stop, true);
}

void RecursiveMutex::lock() {
  if (ReentrantLock* const lock = impl_->shared();
      lock != nullptr && lock->enter_again(primitives::this_thread())) {
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
  if (lock != nullptr && !lock->leave_again(primitives::this_thread())) {
    (void)lock->leave(primitives::this_thread(), core::Confirm::no);
  }
}

Result<void> RecursiveMutex::release() noexcept {
  ReentrantLock* const lock = impl_->shared();
  if (lock == nullptr) return base::not_the_owner(impl_->name());
  return core::explain_release(
      *lock->bound(), lock->leave(primitives::this_thread(), core::Confirm::yes));
}

void RecursiveMutex::acquire_async(const Owner& owner, const WaitOptions& options,
                                   Completion<void> done) {
  if (impl_->shared() == nullptr) {
    return core::complete_soon<void>(impl_->client(), std::move(done),
                                     impl_->unbound());
  }
  const bool waits = impl_->shared()->bound()->bounded();
  core::start_call<void, Entering>(impl_->client(), waits, std::move(done), impl_,
                                   owner.id_, options);
}

void RecursiveMutex::release_async(const Owner& owner, Completion<void> done) {
  Entering::leave_async(impl_, owner.id_, std::move(done));
}

std::size_t RecursiveMutex::depth() const noexcept {
  return impl_->depth(primitives::this_thread());
}
std::size_t RecursiveMutex::depth(const Owner& owner) const noexcept {
  return impl_->depth(owner.id_);
}

FencingToken RecursiveMutex::token() const noexcept {
  return impl_->token(primitives::this_thread());
}
FencingToken RecursiveMutex::token(const Owner& owner) const noexcept {
  return impl_->token(owner.id_);
}

std::stop_token RecursiveMutex::lost() const noexcept {
  return impl_->lost(primitives::this_thread());
}
std::stop_token RecursiveMutex::lost(const Owner& owner) const noexcept {
  return impl_->lost(owner.id_);
}

std::string_view RecursiveMutex::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

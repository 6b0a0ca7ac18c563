// SPDX-License-Identifier: Apache-2.0

#include "holdfast/double_barrier.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/common_failures.h"
#include "base/mutex.h"
#include "core/lease.h"
#include "core/lease_call.h"
#include "core/wait_until.h"
#include "primitives/bound_primitive.h"
#include "primitives/withdrawal.h"

namespace holdfast::inline v0 {

using core::Lease;

class DoubleBarrier::Impl : public primitives::BoundPrimitive {
 public:
  Impl(Client client, std::string name, std::uint32_t parties,
       const LeaseOptions& lease)
      : BoundPrimitive(std::move(client), engine::Kind::double_barrier,
                       std::move(name)),
        parties_(parties),
        options_(lease) {}

  // Looks whether no party is in. One that waits to enter belongs to the next run.
  struct AllLeft {
    Result<bool> operator()(const core::BoundResource& bound, engine::Deadline until) {
      constexpr std::size_t kAllEntries = std::numeric_limits<std::uint32_t>::max();
      const auto entries = bound.resource().survey(kAllEntries, until);
      if (!entries) return entries.error();
      return std::none_of(entries->begin(), entries->end(),
                          [](const engine::Entry& each) { return each.granted; });
    }
    std::string still(const core::BoundResource& bound) const {
      return "double barrier " + base::in_quotes(bound.name()) +
             ": not all parties have left";
    }
  };

  // Returns why this party cannot enter, if it cannot.
  std::optional<Failure> refuse() const {
    if (bind_error()) return bind_error();
    if (parties_ == 0) {
      return Failure(Errc::bad_argument,
                     "double barrier " + quoted() + " needs at least one party");
    }
    if (lease() == nullptr) return std::nullopt;
    return Failure(Errc::bad_argument, "this party of double barrier " + quoted() +
                                           " has entered already: leave it first");
  }

  Result<void> enter(const WaitOptions& options) {
    if (auto why = refuse()) return *std::move(why);
    return admit(Lease::take(state(), bound(),
                             {.lease = options_,
                              .wait = options.wait,
                              .stop = &options.stop,
                              .explain = false,
                              .capacity = parties_}));
  }

  // Keeps the claim of a party that has come in.
  Result<void> admit(Result<std::shared_ptr<Lease>> taken) {
    if (taken) {
      base::MutexLock lock(mutex_);
      lease_ = *std::move(taken);
      leaving_ = false;
      return {};
    }
    if (taken.error().code != Errc::timed_out) return std::move(taken).error();
    return Failure(Errc::timed_out,
                   "double barrier " + quoted() + ": not all parties have come");
  }
  struct ToParty {
    Result<void> operator()(Result<std::shared_ptr<Lease>> taken) {
      if (taken) lease = *taken;
      return impl->admit(std::move(taken));
    }
    primitives::Withdrawal<Impl> undo() { return {impl, std::move(lease)}; }
    std::shared_ptr<Impl> impl;
    std::shared_ptr<Lease> lease;
  };
  // Takes back this claim if it is the present one.
  void withdraw(const std::shared_ptr<Lease>& lease) noexcept {
    base::MutexLock lock(mutex_);
    if (lease_ == lease) lease_ = nullptr;
  }

  core::LeaseRequest request(const WaitOptions& options) const {
    return {
        .lease = options_, .options = options, .explain = false, .capacity = parties_};
  }

  Failure not_in() const {
    return {Errc::not_held,
            "this party is not in double barrier " + quoted() + ": enter it first"};
  }

  // Moves the lease out. Returns whether this party was in, or had begun to leave.
  bool begin_to_leave(std::shared_ptr<Lease>& lease) {
    base::MutexLock lock(mutex_);
    lease = std::exchange(lease_, nullptr);
    return lease != nullptr || leaving_;
  }

  // From then on this party has left, and waits for the others until `settle`.
  Result<void> give_up(const std::shared_ptr<Lease>& lease) {
    auto released = lease->release();
    if (!released && released.error().code == Errc::not_held) return released;
    set_leaving(true);
    return {};
  }
  Result<void> settle(Result<void> empty) {
    if (empty) set_leaving(false);
    return empty;
  }

  std::shared_ptr<Lease> lease() const noexcept {
    base::MutexLock lock(mutex_);
    return lease_;
  }

 private:
  void set_leaving(bool leaving) {
    base::MutexLock lock(mutex_);
    leaving_ = leaving;
  }

  const std::uint32_t parties_;
  const LeaseOptions options_;
  mutable base::Mutex mutex_;
  std::shared_ptr<Lease> lease_ HOLDFAST_GUARDED_BY(mutex_);
  bool leaving_ HOLDFAST_GUARDED_BY(mutex_) = false;  // has left, awaits the others
};

// An operation of core/call.h: gives the claim up, and waits for the others.
class DoubleBarrier::Leaving {
 public:
  Leaving(std::shared_ptr<Impl> impl, std::shared_ptr<Lease> lease,
          const WaitOptions& options)
      : impl_(std::move(impl)),
        lease_(std::move(lease)),
        others_(impl_->bound(), options, Impl::AllLeft()) {}

  Result<core::WaitLoop::Step> step(const engine::Waker& waker) {
    if (lease_ != nullptr) {
      auto left = impl_->give_up(std::exchange(lease_, nullptr));
      if (!left) return std::move(left).error();
    }
    return others_.step(waker);
  }
  Result<void> finish(const Result<void>& ended) {
    return impl_->settle(others_.finish(ended));
  }
  std::string_view name() const noexcept { return others_.name(); }

 private:
  const std::shared_ptr<Impl> impl_;
  std::shared_ptr<Lease> lease_;
  core::WaitUntil<Impl::AllLeft> others_;
};

DoubleBarrier::DoubleBarrier(Client client, std::string name, std::uint32_t parties,
                             LeaseOptions lease)
    : impl_(
          std::make_shared<Impl>(std::move(client), std::move(name), parties, lease)) {}

DoubleBarrier::~DoubleBarrier() = default;

Result<void> DoubleBarrier::enter(const WaitOptions& options) {
  return impl_->enter(options);
}

void DoubleBarrier::enter_async(const WaitOptions& options, Completion<void> done) {
  if (auto why = impl_->refuse()) {
    return core::complete_soon<void>(impl_->state(), std::move(done), *std::move(why));
  }
  core::take_async(impl_->state(), impl_->bound(), impl_->request(options),
                   Impl::ToParty{impl_, nullptr}, std::move(done));
}

Result<void> DoubleBarrier::leave(const WaitOptions& options) {
  if (impl_->bind_error()) return *impl_->bind_error();
  std::shared_ptr<Lease> lease;
  if (!impl_->begin_to_leave(lease)) return impl_->not_in();
  if (lease != nullptr) {
    if (auto left = impl_->give_up(lease); !left) return left;
  }
  return impl_->settle(core::wait_until(impl_->bound(), options, Impl::AllLeft()));
}

void DoubleBarrier::leave_async(const WaitOptions& options, Completion<void> done) {
  std::shared_ptr<Lease> lease;
  if (impl_->bind_error() || !impl_->begin_to_leave(lease)) {
    return core::complete_soon<void>(impl_->state(), std::move(done),
                                     impl_->bind_error().value_or(impl_->not_in()));
  }
  core::start_call<void, Leaving>(impl_->state(), impl_->bound()->bounded(),
                                  std::move(done), impl_, std::move(lease), options);
}

std::stop_token DoubleBarrier::lost() const noexcept {
  const auto lease = impl_->lease();
  return lease != nullptr ? lease->lost() : core::already_lost();
}

std::chrono::nanoseconds DoubleBarrier::valid_for() const noexcept {
  const auto lease = impl_->lease();
  return lease != nullptr ? lease->valid_for() : std::chrono::nanoseconds::zero();
}

std::string_view DoubleBarrier::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

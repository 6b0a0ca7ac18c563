// SPDX-License-Identifier: Apache-2.0

#include "holdfast/double_barrier.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/mutex.h"
#include "core/lease.h"
#include "core/wait_until.h"
#include "primitives/bound_primitive.h"

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

  Result<void> enter(const WaitOptions& options) {
    if (parties_ == 0) {
      return Failure(Errc::bad_argument,
                     "barrier " + quoted() + " needs at least one party");
    }
    if (lease() != nullptr) {
      return Failure(Errc::bad_argument, "this party of barrier " + quoted() +
                                             " has entered already: leave it first");
    }
    auto taken = Lease::take(state(), bound(),
                             {.lease = options_,
                              .wait = options.wait,
                              .stop = &options.stop,
                              .explain = false,
                              .capacity = parties_});
    if (!taken) return std::move(taken).error();
    base::MutexLock lock(mutex_);
    lease_ = *std::move(taken);
    leaving_ = false;
    return {};
  }

  // Moves the lease out. Returns whether this party was in, or had begun to leave.
  bool begin_to_leave(std::shared_ptr<Lease>& lease) {
    base::MutexLock lock(mutex_);
    lease = std::exchange(lease_, nullptr);
    return lease != nullptr || leaving_;
  }
  void set_leaving(bool leaving) {
    base::MutexLock lock(mutex_);
    leaving_ = leaving;
  }

  std::shared_ptr<Lease> lease() const noexcept {
    base::MutexLock lock(mutex_);
    return lease_;
  }

  // Returns whether no party is in. One that waits to enter belongs to the next run.
  Result<bool> is_empty(engine::Deadline until) {
    constexpr std::size_t kAllEntries = std::numeric_limits<std::uint32_t>::max();
    const auto entries = resource().survey(kAllEntries, until);
    if (!entries) return entries.error();
    return std::none_of(entries->begin(), entries->end(),
                        [](const engine::Entry& each) { return each.granted; });
  }

 private:
  const std::uint32_t parties_;
  const LeaseOptions options_;
  mutable base::Mutex mutex_;
  std::shared_ptr<Lease> lease_ HOLDFAST_GUARDED_BY(mutex_);
  bool leaving_ HOLDFAST_GUARDED_BY(mutex_) = false;  // has left, awaits the others
};

DoubleBarrier::DoubleBarrier(Client client, std::string name, std::uint32_t parties,
                             LeaseOptions lease)
    : impl_(
          std::make_unique<Impl>(std::move(client), std::move(name), parties, lease)) {}

DoubleBarrier::~DoubleBarrier() = default;

Result<void> DoubleBarrier::enter(const WaitOptions& options) {
  if (impl_->trouble()) return *impl_->trouble();
  auto entered = impl_->enter(options);
  if (!entered && entered.error().code == Errc::timed_out) {
    return Failure(Errc::timed_out,
                   "barrier " + impl_->quoted() + ": not all parties have come");
  }
  return entered;
}

Result<void> DoubleBarrier::leave(const WaitOptions& options) {
  if (impl_->trouble()) return *impl_->trouble();
  std::shared_ptr<Lease> lease;
  if (!impl_->begin_to_leave(lease)) return Errc::not_held;
  if (lease != nullptr) {
    auto released = lease->release();
    if (!released && released.error().code == Errc::not_held) return released;
  }
  impl_->set_leaving(true);
  auto empty = core::wait_until(*impl_->bound(), options, [&](engine::Deadline until) {
    return impl_->is_empty(until);
  });
  if (empty) impl_->set_leaving(false);
  if (!empty && empty.error().code == Errc::timed_out) {
    return Failure(Errc::timed_out,
                   "barrier " + impl_->quoted() + ": not all parties have left");
  }
  return empty;
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

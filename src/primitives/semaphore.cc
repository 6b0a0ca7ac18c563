// SPDX-License-Identifier: Apache-2.0

#include "holdfast/semaphore.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/common_failures.h"
#include "core/lease.h"
#include "core/lease_call.h"
#include "core/retry.h"
#include "primitives/bound_primitive.h"
#include "primitives/optimistic.h"
#include "primitives/register.h"

namespace holdfast::inline v0 {

using engine::Value;

namespace {

Failure another_capacity(std::string_view name, std::int64_t stored,
                         std::uint32_t wanted) {
  return {Errc::bad_argument,
          base::in_quotes(name) + " has " + std::to_string(stored) + " permits, not " +
              std::to_string(wanted) + ": use " + std::to_string(stored) +
              ", or set another number for all clients with Semaphore::set_permits or "
              "`holdfast semaphore`"};
}

}  // namespace

Permits::Permits(Hold hold) noexcept : Hold(std::move(hold)) {}

std::uint32_t Permits::count() const noexcept {
  return lease_ != nullptr && lease_->intact() ? lease_->claim().permits : 0;
}

Result<void> Permits::release(std::uint32_t permits) noexcept {
  if (permits == 0) return {};
  if (count() == 0) return Errc::not_held;
  engine::Claim kept = lease_->claim();
  if (permits > kept.permits) {
    return Failure(Errc::bad_argument, "only " + std::to_string(kept.permits) +
                                           " permits of \"" +
                                           std::string(lease_->bound()->name()) +
                                           "\" are held: release no more than these");
  }
  if (permits == kept.permits) return release();
  kept.permits -= permits;
  return lease_->amend(kept);
}

class Semaphore::Impl : public primitives::BoundPrimitive {
 public:
  Impl(Client client, std::string name, std::uint32_t permits,
       const LeaseOptions& lease)
      : BoundPrimitive(std::move(client), engine::Kind::semaphore, std::move(name)),
        permits_(permits),
        lease_(lease) {}

  struct ToPermits {
    Result<Permits> operator()(Result<std::shared_ptr<core::Lease>> lease) const {
      if (!lease) return std::move(lease).error();
      return Permits(core::Lease::to_hold(*std::move(lease)));
    }
  };

  Result<Permits> take(std::uint32_t permits, const WaitOptions& options) {
    if (auto why = refuse(permits)) return *std::move(why);
    return ToPermits()(core::Lease::take(state(), bound(),
                                         {.lease = lease_,
                                          .wait = options.wait,
                                          .stop = &options.stop,
                                          .permits = permits,
                                          .capacity = permits_}));
  }

  void take_async(std::uint32_t permits, const WaitOptions& options,
                  Completion<Permits> done) {
    if (auto why = refuse(permits)) {
      return core::complete_soon<Permits>(state(), std::move(done), *std::move(why));
    }
    core::take_async(
        state(), bound(),
        {.lease = lease_, .options = options, .permits = permits, .capacity = permits_},
        ToPermits(), std::move(done));
  }

 private:
  std::optional<Failure> refuse(std::uint32_t permits) const {
    if (trouble() || permits != 0) return trouble();
    return Failure(Errc::bad_argument,
                   "ask for at least one permit of semaphore " + quoted());
  }

  const std::uint32_t permits_;
  const LeaseOptions lease_;
};

Semaphore::Semaphore(Client client, std::string name, std::uint32_t permits,
                     LeaseOptions lease)
    : impl_(
          std::make_unique<Impl>(std::move(client), std::move(name), permits, lease)) {}

Semaphore::~Semaphore() = default;

Result<Permits> Semaphore::acquire_many(std::uint32_t permits,
                                        const WaitOptions& options) {
  return impl_->take(permits, options);
}

void Semaphore::acquire_many_async(std::uint32_t permits, const WaitOptions& options,
                                   Completion<Permits> done) {
  impl_->take_async(permits, options, std::move(done));
}

Result<bool> Semaphore::init_permits(std::uint32_t permits) {
  if (impl_->trouble()) return *impl_->trouble();
  const auto set = primitives::exchange(*impl_->bound(), Value{}, permits);
  if (!set) return set.error();
  if (!set->done && set->now.number != permits) {
    return another_capacity(name(), set->now.number, permits);
  }
  return set->done;
}

Result<void> Semaphore::set_permits(std::uint32_t permits) {
  if (impl_->trouble()) return *impl_->trouble();
  const WaitOptions forever;
  const Counter::Next wanted = [permits](std::int64_t) { return permits; };
  auto set = primitives::Optimistic(*impl_->bound(), forever, wanted).run();
  if (!set) return std::move(set).error();
  return {};
}

Result<std::uint32_t> Semaphore::permits() {
  if (impl_->trouble()) return *impl_->trouble();
  const auto value = primitives::load(*impl_->bound());
  if (!value) return value.error();
  return static_cast<std::uint32_t>(std::max<std::int64_t>(value->number, 0));
}

Result<std::uint32_t> Semaphore::available() {
  auto all = permits();
  if (!all) return all;
  constexpr std::size_t kAllEntries = std::numeric_limits<std::uint32_t>::max();
  const auto entries = core::call_with_retry<std::vector<engine::Entry>>(
      *impl_->bound(), [&](engine::Deadline until) {
        return impl_->resource().survey(kAllEntries, until);
      });
  if (!entries) return entries.error();
  std::uint64_t taken = 0;
  for (const engine::Entry& each : *entries) {
    if (each.granted) taken += each.permits;
  }
  return taken < *all ? static_cast<std::uint32_t>(*all - taken) : 0;
}

std::string_view Semaphore::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

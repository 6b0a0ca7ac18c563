// SPDX-License-Identifier: Apache-2.0

#include "holdfast/semaphore.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#include "base/common_failures.h"
#include "core/access.h"
#include "core/lease.h"
#include "core/lease_call.h"
#include "primitives/ask_async.h"
#include "primitives/bound_primitive.h"
#include "primitives/register.h"
#include "primitives/update_async.h"

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

Counter::Next always(std::uint32_t permits) {
  return [permits](std::int64_t) { return permits; };
}

// The questions that both forms of a call ask, as those of primitives/register.h.
class FirstCapacity {
 public:
  using Answer = bool;
  explicit FirstCapacity(std::uint32_t permits) noexcept
      : permits_(permits), exchange_(Value{}, permits) {}

  Result<bool> operator()(const core::BoundResource& bound, engine::Deadline until) {
    const auto set = exchange_(bound, until);
    if (!set) return set.error();
    if (!set->done && set->now.number != permits_) {
      return another_capacity(bound.name(), set->now.number, permits_);
    }
    return set->done;
  }
  Failure explain(const core::BoundResource& bound, const Failure& why) const {
    return exchange_.explain(bound, why);
  }

 private:
  const std::uint32_t permits_;
  primitives::Exchange exchange_;
};

struct Capacity {
  using Answer = std::uint32_t;
  Result<std::uint32_t> operator()(const core::BoundResource& bound,
                                   engine::Deadline until) const {
    const auto value = bound.resource().load(until);
    if (!value) return value.error();
    return static_cast<std::uint32_t>(std::max<std::int64_t>(value->number, 0));
  }
  Failure explain(const core::BoundResource&, const Failure& why) const { return why; }
};

struct Available {
  using Answer = std::uint32_t;
  Result<std::uint32_t> operator()(const core::BoundResource& bound,
                                   engine::Deadline until) const {
    auto all = Capacity()(bound, until);
    if (!all) return all;
    constexpr std::size_t kAllEntries = std::numeric_limits<std::uint32_t>::max();
    const auto entries = bound.resource().survey(kAllEntries, until);
    if (!entries) return entries.error();
    std::uint64_t taken = 0;
    for (const engine::Entry& each : *entries) {
      if (each.granted) taken += each.permits;
    }
    return taken < *all ? static_cast<std::uint32_t>(*all - taken) : 0;
  }
  Failure explain(const core::BoundResource&, const Failure& why) const { return why; }
};

// Returns the claim that is left of a lease when so many permits are given back.
Result<engine::Claim> kept_of(const core::Lease* lease,
                              std::uint32_t permits) noexcept {
  if (lease == nullptr) return base::empty_hold();
  const std::string_view name = lease->bound()->name();
  if (!lease->intact()) return base::no_longer_held(name);
  engine::Claim kept = lease->claim();
  if (permits > kept.permits) return base::fewer_are_held(name, kept.permits);
  kept.permits -= permits;
  return kept;
}

}  // namespace

Permits::Permits(Hold hold) noexcept : Hold(std::move(hold)) {}

std::uint32_t Permits::count() const noexcept {
  const auto& lease = core::Access::lease(*this);
  return lease != nullptr && lease->intact() ? lease->claim().permits : 0;
}

Result<void> Permits::release(std::uint32_t permits) noexcept {
  if (permits == 0) return {};
  const auto& lease = core::Access::lease(*this);
  const auto kept = kept_of(lease.get(), permits);
  if (!kept) return kept.error();
  return kept->permits == 0 ? release() : lease->amend(*kept);
}

void Permits::release_async(std::uint32_t permits, Completion<void> done) {
  const auto& lease = core::Access::lease(*this);
  const auto kept = kept_of(lease.get(), permits);
  if (permits != 0 && kept) {
    if (kept->permits == 0) return release_async(std::move(done));
    return core::Lease::amend_async(lease, *kept, std::move(done));
  }
  Result<void> outcome = permits == 0 ? Result<void>() : Result<void>(kept.error());
  if (lease == nullptr)
    return core::complete_on_new_thread(std::move(done), std::move(outcome));
  core::complete_soon(lease->client_state(), std::move(done), std::move(outcome));
}

class Semaphore::Impl : public primitives::BoundPrimitive {
 public:
  // Compares the capacity that a semaphore states with the stored one, which comes with
  // every grant, and logs a warning if they differ. One Semaphore has one check, which
  // warns once. A call that is under way may outlive the Semaphore, and keeps the
  // check.
  class CapacityCheck {
   public:
    explicit CapacityCheck(std::uint32_t stated) noexcept : stated_(stated) {}

    void restate(std::uint32_t permits) noexcept { stated_ = permits; }

    void compare(const core::BoundResource& bound,
                 const core::LeaseStart& granted) noexcept {
      const std::uint32_t stored = granted.capacity;
      const std::uint32_t stated = stated_;
      const bool differs = stored != 0 && stored != stated;
      if (!differs || warned_.load() || warned_.exchange(true)) return;
      bool told = false;
      try {
        told = bound.client().warn(
            another_capacity(bound.name(), stored, stated).message());
      } catch (const std::exception&) {  // no memory
      }
      if (!told) warned_.store(false);  // the next grant tries again
    }

   private:
    std::atomic<std::uint32_t> stated_;
    std::atomic<bool> warned_{false};
  };

  Impl(Client client, std::string name, std::uint32_t permits,
       const LeaseOptions& lease)
      : BoundPrimitive(std::move(client), engine::Kind::semaphore, std::move(name)),
        permits_(permits),
        lease_(lease),
        check_(permits != 0 ? std::make_shared<CapacityCheck>(permits) : nullptr) {}

  struct ToPermits {
    Result<Permits> operator()(Result<std::shared_ptr<core::Lease>> lease) const {
      if (!lease) return std::move(lease).error();
      return Permits(core::Access::hold(*std::move(lease)));
    }
  };

  struct CheckToPermits : ToPermits {
    std::shared_ptr<CapacityCheck> check;  // may be null

    void granted(const core::BoundResource& bound,
                 const core::LeaseStart& start) const noexcept {
      if (check != nullptr) check->compare(bound, start);
    }
  };

  // From now on, this object states another capacity.
  void state_capacity(std::uint32_t permits) noexcept {
    if (check_ != nullptr) check_->restate(permits);
  }

  Result<Permits> take(std::uint32_t permits, const WaitOptions& options) {
    if (auto why = refuse(permits)) return *std::move(why);
    const auto start = core::acquire(bound(), {.lease = lease_,
                                               .wait = options.wait,
                                               .stop = &options.stop,
                                               .permits = permits,
                                               .capacity = permits_});
    if (start && check_ != nullptr) check_->compare(*bound(), *start);
    return ToPermits()(core::Lease::begin(state(), bound(), start, lease_));
  }

  void take_async(std::uint32_t permits, const WaitOptions& options,
                  Completion<Permits> done) {
    if (auto why = refuse(permits)) {
      return core::complete_soon<Permits>(state(), std::move(done), *std::move(why));
    }
    core::take_async(
        state(), bound(),
        {.lease = lease_, .options = options, .permits = permits, .capacity = permits_},
        CheckToPermits{{}, check_}, std::move(done));
  }

 private:
  std::optional<Failure> refuse(std::uint32_t permits) const {
    if (bind_error() || permits != 0) return bind_error();
    return Failure(Errc::bad_argument,
                   "ask for at least one permit of semaphore " + quoted());
  }

  const std::uint32_t permits_;
  const LeaseOptions lease_;
  const std::shared_ptr<CapacityCheck> check_;  // null if `permits_` is zero
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
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), FirstCapacity(permits));
}

Result<void> Semaphore::set_permits(std::uint32_t permits) {
  if (impl_->bind_error()) return *impl_->bind_error();
  impl_->state_capacity(permits);
  const WaitOptions forever;
  const Counter::Next wanted = always(permits);
  auto set = primitives::OptimisticLoop(*impl_->bound(), forever, wanted).run();
  if (!set) return std::move(set).error();
  return {};
}

Result<std::uint32_t> Semaphore::permits() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), Capacity());
}

Result<std::uint32_t> Semaphore::available() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), Available());
}

void Semaphore::init_permits_async(std::uint32_t permits, Completion<bool> done) {
  primitives::ask_async(*impl_, FirstCapacity(permits), std::move(done));
}

void Semaphore::set_permits_async(std::uint32_t permits, Completion<void> done) {
  impl_->state_capacity(permits);
  primitives::update_async(*impl_, always(permits), {},
                           [done = std::move(done)](const Result<Change>& set) mutable {
                             done(set ? Result<void>() : Result<void>(set.error()));
                           });
}

void Semaphore::permits_async(Completion<std::uint32_t> done) {
  primitives::ask_async(*impl_, Capacity(), std::move(done));
}

void Semaphore::available_async(Completion<std::uint32_t> done) {
  primitives::ask_async(*impl_, Available(), std::move(done));
}

std::string_view Semaphore::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

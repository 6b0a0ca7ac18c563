// SPDX-License-Identifier: Apache-2.0

#include "holdfast/multi_lock.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "base/common_failures.h"
#include "base/mutex.h"
#include "core/access.h"
#include "core/call.h"
#include "core/lease.h"
#include "primitives/multi_acquirer.h"
#include "primitives/multi_hold.h"

namespace holdfast::inline v0 {
namespace {

using engine::Kind;

bool is_lock(Kind kind) noexcept {
  return kind == Kind::mutex || kind == Kind::fair_mutex || kind == Kind::shared_mutex;
}

std::vector<MultiLock::Part> parts_of(const Client& client,
                                      const std::vector<std::string>& names) {
  std::vector<MultiLock::Part> parts;
  parts.reserve(names.size());
  for (const std::string& name : names) parts.push_back({client, name});
  return parts;
}

}  // namespace

class MultiLock::Impl {
 public:
  Impl(std::vector<Part> parts, const LeaseOptions& lease) : lease_(lease) {
    std::set<std::pair<core::ClientState*, std::string>> seen;
    parts_.reserve(parts.size());
    for (Part& part : parts) {
      if (!is_lock(part.kind))
        refuse(
            "is asked for as a kind that is no lock: use a mutex, fair_mutex or "
            "shared_mutex",
            part);
      if (!seen.emplace(core::Access::state(part.client).get(), part.name).second) {
        refuse("is asked for twice: name it once", part);
      }
      parts_.push_back(
          {{std::move(part.client), part.kind, std::move(part.name)}, part.mode});
      if (!bind_error_ && parts_.back().lock.bind_error()) {
        bind_error_ = parts_.back().lock.bind_error();
      }
    }
    if (parts_.empty())
      bind_error_ = Failure(Errc::bad_argument, "a MultiLock needs at least one lock");
  }

  Result<MultiHold> acquire(const WaitOptions& options) const {
    if (bind_error_) return *bind_error_;
    try {
      primitives::MultiAcquirer acquirer(parts_, lease_, options);
      return to_hold(acquirer, acquirer.run());
    } catch (const std::exception& error) {
      return base::out_of_resources(error, "acquire", parts_.front().lock.name());
    }
  }

  const std::optional<Failure>& bind_error() const noexcept { return bind_error_; }
  const std::vector<primitives::MultiPart>& parts() const noexcept { return parts_; }
  const LeaseOptions& lease() const noexcept { return lease_; }

  // REQUIRES: there is no `bind_error`.
  const std::shared_ptr<core::ClientState>& client() const noexcept {
    return parts_.front().lock.state();
  }

  Result<MultiHold> to_hold(primitives::MultiAcquirer& acquirer,
                            Result<std::vector<std::size_t>> order) const {
    if (!order) return std::move(order).error();
    return MultiHold::Impl::wrap(std::make_unique<MultiHold::Impl>(
        acquirer.take_holds(), *std::move(order), client()));
  }

  // An earlier hold that is still here was lost, and its thread will still unlock once.
  void settle(MultiHold hold) noexcept {
    base::MutexLock lock(mutex_);
    if (held_) ++displaced_;
    held_ = std::move(hold);
  }
  void give_up() noexcept {
    std::optional<MultiHold> hold;
    base::MutexLock lock(mutex_);
    if (displaced_ > 0) {
      --displaced_;
      return;
    }
    hold.swap(held_);
    lock.unlock();
    hold.reset();
    lock.lock();
  }

  std::stop_token lost() const noexcept {
    base::MutexLock lock(mutex_);
    return held_ ? held_->lost() : core::already_lost();
  }

 private:
  void refuse(const std::string& why, const Part& part) {
    bind_error_ = Failure(Errc::bad_argument, "lock \"" + part.name + "\" " + why);
  }

  const LeaseOptions lease_;
  std::vector<primitives::MultiPart> parts_;
  std::optional<Failure> bind_error_;
  mutable base::Mutex mutex_;
  std::optional<MultiHold> held_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t displaced_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

// An operation of core/call.h.
class MultiLock::Acquiring {
 public:
  Acquiring(std::shared_ptr<Impl> impl, WaitOptions options)
      : impl_(std::move(impl)),
        options_(std::move(options)),
        acquirer_(impl_->parts(), impl_->lease(), options_) {}
  Result<core::WaitLoop::Step> step(const engine::Waker& waker) {
    return acquirer_.step(waker);
  }
  Result<MultiHold> finish(const Result<void>& ended) {
    return impl_->to_hold(acquirer_, acquirer_.finish(ended));
  }

 private:
  const std::shared_ptr<Impl> impl_;
  const WaitOptions options_;
  primitives::MultiAcquirer acquirer_;
};

MultiLock::MultiLock(std::vector<Part> parts, LeaseOptions lease)
    : impl_(std::make_shared<Impl>(std::move(parts), lease)) {}

MultiLock::MultiLock(const Client& client, const std::vector<std::string>& names,
                     LeaseOptions lease)
    : MultiLock(parts_of(client, names), lease) {}

MultiLock::~MultiLock() = default;

Result<MultiHold> MultiLock::acquire(const WaitOptions& options) {
  return impl_->acquire(options);
}

void MultiLock::acquire_async(const WaitOptions& options, Completion<MultiHold> done) {
  if (impl_->parts().empty()) {
    return core::complete_on_new_thread<MultiHold>(std::move(done),
                                                   *impl_->bind_error());
  }
  if (impl_->bind_error()) {
    return core::complete_soon<MultiHold>(impl_->client(), std::move(done),
                                          *impl_->bind_error());
  }
  const bool waits =
      std::any_of(impl_->parts().begin(), impl_->parts().end(),
                  [](const auto& each) { return each.lock.bound()->bounded(); });
  core::start_call<MultiHold, Acquiring>(impl_->client(), waits, std::move(done), impl_,
                                         options);
}

void MultiLock::lock() { impl_->settle(impl_->acquire({}).value()); }

bool MultiLock::try_lock() { return try_lock_for(Timeout::zero()); }

bool MultiLock::try_lock_for(Timeout wait) {
  auto hold = impl_->acquire({.wait = wait});
  if (!hold && hold.error().code == Errc::timed_out) return false;
  impl_->settle(std::move(hold).value());
  return true;
}

void MultiLock::unlock() noexcept { impl_->give_up(); }

std::stop_token MultiLock::lost() const noexcept { return impl_->lost(); }

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/election.h"

#include <utility>

#include "base/common_failures.h"
#include "base/mutex.h"
#include "core/lease.h"
#include "core/lease_call.h"
#include "core/release_call.h"
#include "holdfast/holder.h"
#include "primitives/ask_async.h"
#include "primitives/bound_primitive.h"
#include "primitives/register.h"
#include "primitives/subscribe.h"
#include "primitives/withdrawal.h"

namespace holdfast::inline v0 {

using core::Lease;
using MaybeLeader = std::optional<Leader>;

namespace {

// A question, as those of primitives/register.h.
struct AskLeader {
  using Answer = MaybeLeader;
  Result<MaybeLeader> operator()(const core::BoundResource& bound,
                                 engine::Deadline until) const {
    constexpr std::size_t kTheFirst = 1;
    const auto entries = bound.resource().survey(kTheFirst, until);
    if (!entries) return entries.error();
    if (entries->empty() || !entries->front().granted) return MaybeLeader();
    const engine::Entry& first = entries->front();
    return MaybeLeader(
        {read_holder(first.payload).text, first.owner, first.token, first.since});
  }
  Failure explain(const core::BoundResource&, const Failure& why) const { return why; }
};

}  // namespace

class Election::Impl : public primitives::BoundPrimitive {
 public:
  Impl(Client client, std::string name, const LeaseOptions& lease)
      : BoundPrimitive(std::move(client), engine::Kind::election, std::move(name)),
        options_(lease) {}

  // Returns why this candidate cannot campaign, if it cannot.
  std::optional<Failure> refuse() const {
    if (bind_error()) return bind_error();
    const auto mine = lease();
    if (mine == nullptr || mine->valid_for().count() == 0) return std::nullopt;
    return Failure(Errc::bad_argument,
                   "this candidate leads " + quoted() + " already: resign first");
  }

  Failure does_not_lead() const noexcept { return base::does_not_lead(name()); }

  Result<void> campaign(std::string_view payload, const WaitOptions& options) {
    if (auto why = refuse()) return *std::move(why);
    auto taken = Lease::take(state(), bound(),
                             {.lease = options_,
                              .wait = options.wait,
                              .stop = &options.stop,
                              .payload = payload});
    if (!taken) return std::move(taken).error();
    (void)replace(*std::move(taken));
    return {};
  }

  // Keeps the leadership that an asynchronous campaign has won, unless the candidate is
  // gone.
  struct ToLeader {
    Result<void> operator()(Result<std::shared_ptr<Lease>> taken) {
      if (!taken) return std::move(taken).error();
      lease = *std::move(taken);
      impl->lead(lease);
      return {};
    }
    primitives::Withdrawal<Impl> undo() { return {impl, std::move(lease)}; }
    std::shared_ptr<Impl> impl;
    std::shared_ptr<Lease> lease;
  };
  void lead(const std::shared_ptr<Lease>& lease) {
    base::MutexLock lock(mutex_);
    if (!gone_) lease_ = lease;
  }
  // Ends this leadership if it is the present one.
  void withdraw(const std::shared_ptr<Lease>& lease) noexcept {
    base::MutexLock lock(mutex_);
    if (lease_ == lease) lease_ = nullptr;
  }
  const LeaseOptions& options() const noexcept { return options_; }

  std::shared_ptr<Lease> lease() const noexcept {
    base::MutexLock lock(mutex_);
    return lease_;
  }
  std::shared_ptr<Lease> replace(std::shared_ptr<Lease> lease) noexcept {
    base::MutexLock lock(mutex_);
    return std::exchange(lease_, std::move(lease));
  }
  // An observer keeps this object alive, and campaigns under way do, too.
  std::shared_ptr<Lease> leave_for_good() noexcept {
    base::MutexLock lock(mutex_);
    gone_ = true;
    return std::exchange(lease_, nullptr);
  }

 private:
  const LeaseOptions options_;
  mutable base::Mutex mutex_;
  std::shared_ptr<Lease> lease_ HOLDFAST_GUARDED_BY(mutex_);
  bool gone_ HOLDFAST_GUARDED_BY(mutex_) = false;  // the Election was destroyed
};

Election::Election(Client client, std::string name, LeaseOptions lease)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(name), lease)) {}

Election::~Election() { (void)impl_->leave_for_good(); }

Result<void> Election::campaign(std::string_view payload, const WaitOptions& options) {
  return impl_->campaign(payload, options);
}

void Election::campaign_async(std::string_view payload, const WaitOptions& options,
                              Completion<void> done) {
  if (auto why = impl_->refuse()) {
    return core::complete_soon<void>(impl_->state(), std::move(done), *std::move(why));
  }
  core::take_async(impl_->state(), impl_->bound(),
                   {.lease = impl_->options(), .options = options, .payload = payload},
                   Impl::ToLeader{impl_, nullptr}, std::move(done));
}

Result<void> Election::resign() noexcept {
  const auto lease = impl_->replace(nullptr);
  return lease != nullptr ? lease->release() : Result<void>(impl_->does_not_lead());
}

void Election::resign_async(Completion<void> done) {
  auto lease = impl_->replace(nullptr);
  if (lease == nullptr) {
    return core::complete_soon<void>(impl_->state(), std::move(done),
                                     impl_->does_not_lead());
  }
  core::release_async(std::move(lease), std::move(done));
}

Result<void> Election::proclaim(std::string_view payload) {
  const auto lease = impl_->lease();
  if (lease == nullptr) return impl_->does_not_lead();
  engine::Claim wanted = lease->claim();
  wanted.payload = payload;
  return lease->amend(wanted);
}

void Election::proclaim_async(std::string_view payload, Completion<void> done) {
  const auto lease = impl_->lease();
  if (lease == nullptr) {
    return core::complete_soon<void>(impl_->state(), std::move(done),
                                     impl_->does_not_lead());
  }
  engine::Claim wanted = lease->claim();
  wanted.payload = payload;
  Lease::amend_async(lease, wanted, std::move(done));
}

Result<void> Election::lead(const std::function<void(std::stop_token over)>& work,
                            std::string_view payload, const WaitOptions& options) {
  if (auto elected = campaign(payload, options); !elected) return elected;
  std::stop_source over;
  try {
    const auto end = [&over] { over.request_stop(); };
    const std::stop_callback on_loss(lost(), end);
    const std::stop_callback on_stop(options.stop, end);
    work(over.get_token());
  } catch (...) {
    (void)resign();
    throw;
  }
  return resign();
}

bool Election::is_leader() const noexcept { return valid_for().count() > 0; }

std::chrono::nanoseconds Election::valid_for() const noexcept {
  const auto lease = impl_->lease();
  return lease != nullptr ? lease->valid_for() : std::chrono::nanoseconds::zero();
}

FencingToken Election::token() const noexcept {
  const auto lease = impl_->lease();
  return lease != nullptr ? lease->token() : FencingToken{};
}

std::stop_token Election::lost() const noexcept {
  const auto lease = impl_->lease();
  return lease != nullptr ? lease->lost() : core::already_lost();
}

Result<MaybeLeader> Election::leader() {
  if (impl_->bind_error()) return *impl_->bind_error();
  return primitives::ask(*impl_->bound(), AskLeader());
}

void Election::leader_async(Completion<MaybeLeader> done) {
  primitives::ask_async(*impl_, AskLeader(), std::move(done));
}

Result<Subscription> Election::observe(std::function<void(const MaybeLeader&)> listener,
                                       Executor executor) {
  if (impl_->bind_error()) return *impl_->bind_error();
  auto look = [impl = impl_, listener = std::move(listener),
               last = std::optional<std::string>()](
                  engine::Deadline until) mutable -> Result<core::Subscriber::News> {
    auto leader = AskLeader()(*impl->bound(), until);
    if (!leader) return std::move(leader).error();
    std::string now = *leader ? (*leader)->owner + "\n" + (*leader)->payload : "";
    if (last == now) return core::Subscriber::News();
    core::Subscriber::News news = [listener, current = *std::move(leader)] {
      listener(current);
    };
    last = std::move(now);
    return news;
  };
  return primitives::subscribe(*impl_, std::move(look), std::move(executor));
}

std::string_view Election::name() const noexcept { return impl_->name(); }

}  // namespace holdfast::inline v0

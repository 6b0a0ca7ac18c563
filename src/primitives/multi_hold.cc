// SPDX-License-Identifier: Apache-2.0

#include "primitives/multi_hold.h"

#include <algorithm>
#include <utility>

#include "core/lease.h"
#include "core/retry_call.h"

namespace holdfast::inline v0 {

MultiHold::Impl::Impl(std::vector<Hold> holds, std::vector<std::size_t> order,
                      std::shared_ptr<core::ClientState> client)
    : holds_(std::move(holds)), order_(std::move(order)), client_(std::move(client)) {}

MultiHold::Impl::~Impl() { (void)release(); }

// The callbacks are registered by the first call only, because they have a cost that
// most callers need not pay.
std::stop_token MultiHold::Impl::lost() const noexcept {
  std::call_once(asked_, [this] {
    watches_.reserve(holds_.size());
    for (const Hold& each : holds_) {
      watches_.push_back(
          std::make_unique<std::stop_callback<Tell>>(each.lost(), Tell{lost_}));
    }
  });
  return lost_.get_token();
}

std::chrono::nanoseconds MultiHold::Impl::valid_for() const noexcept {
  auto shortest = std::chrono::nanoseconds::max();
  for (const Hold& each : holds_) shortest = std::min(shortest, each.valid_for());
  return shortest;
}

Result<void> MultiHold::Impl::release() noexcept {
  Result<void> outcome;
  for (auto part = order_.rbegin(); part != order_.rend(); ++part) {
    auto released = holds_[*part].release();
    if (outcome && !released) outcome = std::move(released);
  }
  lost_.request_stop();
  return outcome;
}

MultiHold::MultiHold(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
MultiHold::MultiHold() noexcept = default;
MultiHold::MultiHold(MultiHold&&) noexcept = default;
MultiHold& MultiHold::operator=(MultiHold&&) noexcept = default;
MultiHold::~MultiHold() = default;

std::span<const Hold> MultiHold::holds() const noexcept {
  return impl_ != nullptr ? std::span(impl_->holds()) : std::span<const Hold>();
}

std::stop_token MultiHold::lost() const noexcept {
  return impl_ != nullptr ? impl_->lost() : core::already_lost();
}

std::chrono::nanoseconds MultiHold::valid_for() const noexcept {
  return impl_ != nullptr ? impl_->valid_for() : std::chrono::nanoseconds::zero();
}

Result<void> MultiHold::release() noexcept {
  return impl_ != nullptr ? impl_->release() : Result<void>();
}

void MultiHold::release_async(Completion<void> done) {
  if (impl_ == nullptr) return core::complete_on_new_thread<void>(std::move(done), {});
  constexpr bool kWaits = true;
  const auto client = impl_->client();
  core::do_async<void>(
      client, kWaits,
      [impl = std::shared_ptr<Impl>(std::move(impl_))] { return impl->release(); },
      std::move(done));
}

}  // namespace holdfast::inline v0

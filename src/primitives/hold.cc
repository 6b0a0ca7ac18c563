// SPDX-License-Identifier: Apache-2.0

#include "holdfast/hold.h"

#include <utility>

#include "core/lease.h"
#include "core/release_call.h"

namespace holdfast::inline v0 {

Hold::Hold(std::shared_ptr<core::Lease> lease) noexcept : lease_(std::move(lease)) {}
Hold::Hold() noexcept = default;
Hold::Hold(Hold&&) noexcept = default;
Hold& Hold::operator=(Hold&&) noexcept = default;
Hold::~Hold() = default;

FencingToken Hold::token() const noexcept {
  return lease_ != nullptr ? lease_->token() : FencingToken{};
}

std::string_view Hold::name() const noexcept {
  return lease_ != nullptr ? lease_->bound()->name() : std::string_view();
}

std::stop_token Hold::lost() const noexcept {
  return lease_ != nullptr ? lease_->lost() : core::already_lost();
}

std::chrono::nanoseconds Hold::valid_for() const noexcept {
  return lease_ != nullptr ? lease_->valid_for() : std::chrono::nanoseconds::zero();
}

Result<void> Hold::release() noexcept {
  return lease_ != nullptr ? lease_->release() : Result<void>();
}

void Hold::release_async(Completion<void> done) {
  if (lease_ == nullptr) return core::complete_on_new_thread<void>(std::move(done), {});
  core::release_async(std::exchange(lease_, nullptr), std::move(done));
}

}  // namespace holdfast::inline v0

#include "holdfast/hold.h"

#include <utility>

#include "core/grip.h"

namespace holdfast {

Hold::Hold(std::shared_ptr<core::Grip> grip) noexcept : grip_(std::move(grip)) {}
Hold::Hold(Hold&&) noexcept = default;
Hold& Hold::operator=(Hold&&) noexcept = default;
Hold::~Hold() = default;

FencingToken Hold::token() const noexcept {
  return grip_ != nullptr ? grip_->token() : FencingToken{};
}

std::stop_token Hold::lost() const noexcept {
  return grip_ != nullptr ? grip_->lost() : core::already_lost();
}

std::chrono::nanoseconds Hold::valid_for() const noexcept {
  return grip_ != nullptr ? grip_->valid_for() : std::chrono::nanoseconds::zero();
}

Result<void> Hold::release() noexcept {
  return grip_ != nullptr ? grip_->release() : Result<void>();
}

}  // namespace holdfast

// SPDX-License-Identifier: Apache-2.0

#include "holdfast/subscription.h"

#include <utility>

#include "core/subscriber.h"

namespace holdfast::inline v0 {

Subscription::Subscription(std::shared_ptr<core::Subscriber> subscriber) noexcept
    : subscriber_(std::move(subscriber)) {}

Subscription& Subscription::operator=(Subscription&& other) noexcept {
  if (this == &other) return *this;
  cancel();
  subscriber_ = std::move(other.subscriber_);
  return *this;
}

Subscription::~Subscription() { cancel(); }

void Subscription::cancel() noexcept {
  if (const auto subscriber = std::exchange(subscriber_, nullptr)) subscriber->cancel();
}

}  // namespace holdfast::inline v0

#include "holdfast/subscription.h"

#include <utility>

#include "core/listener.h"

namespace holdfast {

Subscription::Subscription(std::shared_ptr<core::Listener> listener) noexcept
    : listener_(std::move(listener)) {}

Subscription& Subscription::operator=(Subscription&& other) noexcept {
  if (this == &other) return *this;
  cancel();
  listener_ = std::move(other.listener_);
  return *this;
}

Subscription::~Subscription() { cancel(); }

void Subscription::cancel() noexcept {
  if (const auto listener = std::exchange(listener_, nullptr)) listener->cancel();
}

}  // namespace holdfast

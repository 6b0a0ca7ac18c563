// SPDX-License-Identifier: Apache-2.0

// core/access.h - what the installed classes keep private, for the library itself.
//
//   auto bound = Access::state(client)->bind({Kind::mutex, "invoices/42"});

#pragma once

#include <memory>
#include <utility>

#include "holdfast/client.h"
#include "holdfast/hold.h"
#include "holdfast/subscription.h"

namespace holdfast::core {

// It is the one friend of these classes, so that a program that uses the library sees
// nothing of what they are made of.
class Access {
 public:
  static const std::shared_ptr<ClientState>& state(const Client& client) noexcept {
    return client.state_;
  }

  // Returns null if the hold is empty.
  static const std::shared_ptr<Lease>& lease(const Hold& hold) noexcept {
    return hold.lease_;
  }

  static Hold hold(std::shared_ptr<Lease> lease) noexcept {
    return Hold(std::move(lease));
  }
  static Subscription subscription(std::shared_ptr<Subscriber> subscriber) noexcept {
    return Subscription(std::move(subscriber));
  }
};

}  // namespace holdfast::core

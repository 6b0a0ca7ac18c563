// SPDX-License-Identifier: Apache-2.0

// primitives/subscribe.h - subscribes a callback to the changes of a resource.

#pragma once

#include <memory>
#include <utility>

#include "base/common_failures.h"
#include "core/access.h"
#include "core/subscriber.h"
#include "primitives/bound_primitive.h"

namespace holdfast::primitives {

// `look` asks the engine and returns the news to tell (core/subscriber.h). REQUIRES:
// `to` has no `bind_error`.
inline Result<Subscription> subscribe(const BoundPrimitive& to,
                                      core::Subscriber::Look look, Executor executor) {
  auto subscriber = std::make_shared<core::Subscriber>(
      to.state(), to.bound(), std::move(look), std::move(executor));
  if (!to.state()->watch_dispatcher().add(subscriber)) {
    return base::no_thread("watch " + base::in_quotes(to.name()));
  }
  return core::Access::subscription(std::move(subscriber));
}

}  // namespace holdfast::primitives

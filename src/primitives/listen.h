// primitives/listen.h - news of a resource, for whoever wants them.

#pragma once

#include <memory>
#include <utility>

#include "core/listener.h"
#include "primitives/named.h"

namespace holdfast::primitives {

// REQUIRES: no trouble.
inline Subscription listen(const Named& to, core::Listener::Look look,
                           Executor executor) {
  auto listener = std::make_shared<core::Listener>(
      to.hub(), to.bound(), std::move(look), std::move(executor));
  to.hub()->lookout().add(listener);
  return Subscription(std::move(listener));
}

}  // namespace holdfast::primitives

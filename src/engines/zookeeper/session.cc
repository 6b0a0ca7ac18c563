// SPDX-License-Identifier: Apache-2.0

#include "engines/zookeeper/session.h"

#include <utility>

#include "base/fencing.h"
#include "engines/zookeeper/double_barrier.h"
#include "engines/zookeeper/names.h"
#include "engines/zookeeper/ordered_queue.h"
#include "engines/zookeeper/registers.h"
#include "engines/zookeeper/semaphore.h"

namespace holdfast::zookeeper {

using engine::Kind;

engine::Traits traits_of(const Backend& backend, Kind kind) noexcept {
  const bool is_claim = kind <= Kind::double_barrier;
  return {.supported = true,
          .fences = base::can_fence(kind),
          .orders = is_claim,
          .notifies = true,
          .versions = true,
          .downgrades = kind == Kind::shared_mutex,
          .survives = backend.options().hosts.size() > 1,
          .leased = is_claim,
          .process_queue = kind == Kind::mutex || kind == Kind::election,
          .session_bound = is_claim,
          .fifo_requests = is_claim};
}

Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address) {
  using Made = std::shared_ptr<engine::Resource>;
  const Options& options = backend->options();
  auto path = path_of(options.root, address.name, options.raw_names);
  if (!path) return std::move(path).error();
  const auto make_register = [&](RegisterFormat format) -> Made {
    return std::make_shared<RegisterResource>(backend, *path, format);
  };
  switch (address.kind) {
    case Kind::mutex:
    case Kind::fair_mutex:
    case Kind::shared_mutex:
    case Kind::election:
      return Made(std::make_shared<OrderedQueue>(backend, *path, address.kind));
    case Kind::semaphore:
      return Made(std::make_shared<SemaphoreResource>(backend, *path));
    case Kind::double_barrier:
      return Made(std::make_shared<DoubleBarrierResource>(backend, *path));
    case Kind::latch:
      return make_register(RegisterFormat::latch);
    case Kind::barrier:
      return make_register(RegisterFormat::barrier);
    case Kind::counter:
      return make_register(RegisterFormat::counter);
    case Kind::shared_count:
      return make_register(RegisterFormat::shared_count);
  }
  return Errc::unsupported;
}

}  // namespace holdfast::zookeeper

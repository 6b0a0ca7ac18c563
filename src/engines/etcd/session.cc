// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/session.h"

#include <utility>

#include "base/fencing.h"
#include "engines/etcd/double_barrier.h"
#include "engines/etcd/names.h"
#include "engines/etcd/ordered_queue.h"
#include "engines/etcd/registers.h"
#include "engines/etcd/semaphore.h"

namespace holdfast::etcd {

using engine::Kind;

namespace {

std::shared_ptr<engine::Resource> make_ordered(const std::shared_ptr<Backend>& backend,
                                               const std::string& key, Kind kind) {
  return std::make_shared<ClaimResource>(
      backend, std::make_unique<OrderedQueue>(*backend, key, kind));
}

}  // namespace

engine::Traits traits_of(const Backend& backend, Kind kind) noexcept {
  const bool is_claim = kind <= Kind::double_barrier;
  return {.supported = true,
          .fences = base::can_fence(kind),
          .orders = is_claim,
          .notifies = true,
          .versions = true,
          .survives = backend.options().hosts.size() > 1,
          .leased = is_claim,
          .process_queue = kind == Kind::mutex || kind == Kind::election,
          .session_bound = is_claim};
}

Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address) {
  using Made = std::shared_ptr<engine::Resource>;
  const Options& options = backend->options();
  const std::string key =
      options.root + (options.raw_names ? address.name : encode_name(address.name));
  const auto make_register = [&](RegisterFormat format) -> Made {
    return std::make_shared<RegisterResource>(backend, key, format);
  };
  switch (address.kind) {
    case Kind::mutex:
    case Kind::fair_mutex:
    case Kind::election:
      return Backend::shared_resource(backend, key,
                                      [](const auto& with, const auto& at) -> Made {
                                        return make_ordered(with, at, Kind::mutex);
                                      });
    case Kind::shared_mutex:
      return make_ordered(backend, key, address.kind);
    case Kind::semaphore:
      return Made(std::make_shared<SemaphoreResource>(backend, key));
    case Kind::double_barrier:
      return Made(std::make_shared<DoubleBarrierResource>(backend, key));
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

}  // namespace holdfast::etcd

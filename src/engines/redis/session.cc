// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/session.h"

#include <utility>

#include "base/common_failures.h"
#include "engines/redis/layout.h"
#include "engines/redis/resource.h"

namespace holdfast::redis {

namespace {

// Every key of a name, and its channel, must be at one server.
Result<Slot> slot_of_name(const Backend& backend, const engine::Address& address) {
  if (!backend.options().is_cluster()) return Slot{0};
  const KeyNames names(backend.layout(address.kind).prefixes, address.name);
  if (const auto slot = names.slot()) return *slot;
  return Failure(
      Errc::bad_argument,
      base::in_quotes(address.name) +
          " cannot be used in a Redis Cluster: its braces would put its keys "
          "on several servers; use a name without braces, or one with a "
          "whole {tag}, which a latch cannot have");
}

}  // namespace

engine::Traits traits_of(const Backend& backend, engine::Kind kind) noexcept {
  engine::Traits traits = backend.layout(kind).traits;
  traits.sends_ahead = true;
  traits.posts = true;
  return traits;
}

Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address) {
  const auto slot = slot_of_name(*backend, address);
  if (!slot) return slot.error();
  return std::shared_ptr<engine::Resource>(
      std::make_shared<RedisResource>(backend, address, *slot));
}

}  // namespace holdfast::redis

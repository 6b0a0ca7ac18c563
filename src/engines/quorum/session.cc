// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/session.h"

#include <utility>

#include "engines/quorum/resource.h"

namespace holdfast::quorum {

// Returns the traits that every open node has. Losing a node is what the quorum is for,
// so `survives` is set.
engine::Traits traits_of(const Backend& backend, engine::Kind kind) noexcept {
  engine::Traits all;
  if (!is_supported(kind)) return all;
  all.supported = all.notifies = all.downgrades = all.survives = true;
  all.fences = backend.chooses_tokens(kind);
  all.process_queue =
      kind != engine::Kind::shared_mutex;  // Readers hold the lock together.
  backend.nodes().for_each_open([&](std::size_t, const engine::Session& session) {
    const engine::Traits each = session.traits(kind);
    all.supported = all.supported && each.supported;
    all.notifies = all.notifies && each.notifies;
    all.downgrades = all.downgrades && each.downgrades;
    all.many_hosts = all.many_hosts && each.many_hosts;
  });
  return all;
}

Result<std::shared_ptr<engine::Resource>> make_resource(
    const std::shared_ptr<Backend>& backend, const engine::Address& address) {
  return std::shared_ptr<engine::Resource>(
      std::make_shared<QuorumResource>(backend, address));
}

}  // namespace holdfast::quorum

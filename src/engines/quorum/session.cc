// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/session.h"

#include <utility>

#include "engines/quorum/listing.h"
#include "engines/quorum/renewal.h"
#include "engines/quorum/resource.h"
#include "holdfast/names.h"

namespace holdfast::quorum {

QuorumSession::QuorumSession(std::shared_ptr<Backend> backend) noexcept
    : backend_(std::move(backend)) {}

// Returns the traits that every open node has. Losing a node is what the quorum is for,
// so `survives` is set.
engine::Traits QuorumSession::traits(engine::Kind kind) const noexcept {
  engine::Traits all;
  if (!is_supported(kind)) return all;
  all.supported = all.notifies = all.downgrades = all.survives = true;
  all.fences = backend_->chooses_tokens(kind);
  all.process_queue =
      kind != engine::Kind::shared_mutex;  // Readers hold the lock together.
  backend_->nodes().for_each_open([&](std::size_t, const engine::Session& session) {
    const engine::Traits each = session.traits(kind);
    all.supported = all.supported && each.supported;
    all.notifies = all.notifies && each.notifies;
    all.downgrades = all.downgrades && each.downgrades;
    all.many_hosts = all.many_hosts && each.many_hosts;
  });
  return all;
}

Result<std::shared_ptr<engine::Resource>> QuorumSession::bind(
    const engine::Address& address) {
  if (auto good = check_name(address.name); !good) return std::move(good).error();
  return std::shared_ptr<engine::Resource>(
      std::make_shared<QuorumResource>(backend_, address));
}

Result<void> QuorumSession::renew(std::span<engine::ClaimRef> refs,
                                  engine::Deadline until) {
  renew_all(*backend_, refs, until);
  return {};
}

Result<engine::Page> QuorumSession::list(std::string_view prefix, std::string_view,
                                         engine::Deadline until) {
  return quorum::list(*backend_, prefix, until);
}

std::vector<std::string> QuorumSession::warnings() const {
  std::vector<std::string> all;
  backend_->nodes().for_each_open([&](std::size_t i, const engine::Session& session) {
    for (const std::string& each : session.warnings()) {
      all.push_back("node " + std::to_string(i + 1) + ": " + each);
    }
  });
  return all;
}

// The session of a node may have been opened later than this one.
std::vector<engine::ServerDescription> QuorumSession::servers() const {
  std::vector<engine::ServerDescription> all;
  for (std::size_t i = 0; i < backend_->nodes().size(); ++i) {
    const std::string node = "node " + std::to_string(i + 1);
    const engine::Session* const session = backend_->nodes()[i].session();
    if (session == nullptr) {
      all.push_back({node, {{"state", "not reached"}}});
      continue;
    }
    for (engine::ServerDescription& each : session->servers()) {
      each.server.insert(0, node + ", ");
      all.push_back(std::move(each));
    }
  }
  return all;
}

}  // namespace holdfast::quorum

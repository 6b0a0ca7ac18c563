// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/proposal.h"

#include <utility>
#include <variant>

namespace holdfast::quorum {

using engine::Blocked;
using engine::Claim;
using engine::Deadline;
using engine::Granted;
using engine::Session;
using engine::Verdict;

Proposal::Proposal(std::shared_ptr<NodeResource> resource, const Claim& claim,
                   std::size_t nodes)
    : resource_(std::move(resource)),
      token_(claim.token),
      tokens_(claim.tokens),
      at_nodes_(nodes) {
  for (NodeClaim& at_node : at_nodes_) put(claim, at_node);
}

// The payload is copied, because the caller's may be gone before the slowest node is
// asked.
void Proposal::put(const Claim& claim, NodeClaim& at_node) {
  const auto ticket = at_node.claim.ticket;
  at_node.payload = claim.payload;
  at_node.claim = claim;
  at_node.claim.payload = at_node.payload;
  if (ticket != engine::Ticket::none) at_node.claim.ticket = ticket;
}

Result<Verdict> Proposal::attempt(std::size_t node, Session& session,
                                  MajorityWaker* majority_waker, Deadline until) {
  if (withdrawn_.load())
    return Failure(Errc::unavailable, "the node was not asked in time");
  const auto resource = resource_->at(node, session);
  if (!resource) return resource.error();
  NodeClaim& at_node = at_nodes_[node];
  const auto ask = [&] {
    auto verdict = (*resource)->attempt(at_node.claim, nullptr, until);
    const bool refused = verdict && !std::holds_alternative<Granted>(*verdict);
    at_node.phase = refused ? Phase::never : Phase::there;
    return verdict;
  };
  auto verdict = ask();
  const bool is_blocked = verdict && std::holds_alternative<Blocked>(*verdict);
  if (!is_blocked || majority_waker == nullptr || majority_waker->watches(node)) {
    return verdict;
  }
  // The claim may have become free before the watch began, so it is attempted once
  // more.
  if (majority_waker->watch_node(node, **resource, until)) verdict = ask();
  return verdict;
}

Result<Granted> Proposal::amend(std::size_t node, Session& session, const Claim& wanted,
                                Deadline until) {
  NodeClaim& at_node = at_nodes_[node];
  if (at_node.phase != Phase::there) return Errc::not_held;
  const auto resource = resource_->at(node, session);
  if (!resource) return resource.error();
  NodeClaim next = at_node;
  put(wanted, next);
  auto amended = (*resource)->amend(at_node.claim, next.claim, until);
  if (amended) put(wanted, at_node);
  return amended;
}

Result<void> Proposal::drop(std::size_t node, Session& session, Deadline until) {
  NodeClaim& at_node = at_nodes_[node];
  if (at_node.phase == Phase::dropped) return {};
  if (at_node.phase != Phase::there) return Errc::not_held;
  const auto resource = resource_->at(node, session);
  if (!resource) return resource.error();
  auto dropped = (*resource)->drop(at_node.claim, until);
  if (dropped) at_node.phase = Phase::dropped;
  if (!dropped && dropped.error().code == Errc::not_held) {
    at_node.phase = Phase::absent;
  }
  return dropped;
}

bool Proposal::needs_retry(std::size_t node) noexcept {
  NodeClaim& at_node = at_nodes_[node];
  return at_node.phase == Phase::there && !std::exchange(at_node.retried, true);
}

const Claim* Proposal::claim(std::size_t node) const noexcept {
  const NodeClaim& at_node = at_nodes_[node];
  return at_node.phase == Phase::there ? &at_node.claim : nullptr;
}

}  // namespace holdfast::quorum

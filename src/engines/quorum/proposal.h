// SPDX-License-Identifier: Apache-2.0

// engines/quorum/proposal.h - one try for a claim, at every node.
//
// A claim that was blocked is tried again with a new proposal, which has a ticket of
// its own, because a ticket that was dropped at a node cannot be granted there again.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engines/quorum/node_resource.h"
#include "engines/quorum/wakeups.h"
#include "holdfast/engine/sent_call.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// Each node's part belongs to the thread that has the node's turn: only that thread
// makes the calls with a `node`.
class Proposal {
 public:
  // `claim` has the ticket that the nodes see, its lease and, if it names it, its
  // token.
  Proposal(std::shared_ptr<NodeResource> resource, const engine::Claim& claim,
           std::size_t nodes);

  // Attempts with no wait, so a blocked claim leaves nothing at the node.
  // `majority_waker` is rung when something changes there; it may be null.
  Result<engine::Verdict> attempt(std::size_t node, engine::Session& session,
                                  MajorityWaker* majority_waker,
                                  engine::Deadline until);
  // Sends the request of an attempt, whose answer is taken later. Null means that
  // nothing was sent. The proposal and the waker must outlive the call.
  std::unique_ptr<engine::SentCall<engine::Verdict>> send_attempt(
      std::size_t node, engine::Session& session, MajorityWaker* majority_waker);
  Result<engine::Granted> amend(std::size_t node, engine::Session& session,
                                const engine::Claim& wanted, engine::Deadline until);

  // A drop is final and idempotent: repeated, it returns the same.
  Result<void> drop(std::size_t node, engine::Session& session, engine::Deadline until);
  std::unique_ptr<engine::SentCall<void>> send_drop(std::size_t node,
                                                    engine::Session& session);

  // Returns the resource's name in quotes, for messages.
  std::string quoted() const;

  // Returns the token that the claim names, or none, and how many there are.
  FencingToken token() const noexcept { return token_; }
  std::uint32_t tokens() const noexcept { return tokens_; }

  // Returns the claim to renew, or null if it is not at that node.
  const engine::Claim* claim(std::size_t node) const noexcept;
  Result<engine::Resource*> resource(std::size_t node, engine::Session& session) {
    return resource_->at(node, session);
  }

  // Returns true once, if the claim may still be at that node after it was given up.
  bool needs_retry(std::size_t node) noexcept;

  // From now on no node is asked for it. This may be called from any thread.
  void withdraw() noexcept { withdrawn_.store(true); }

 private:
  class SentAttempt;
  class SentDrop;
  enum class Phase { never, there, dropped, absent };
  struct NodeClaim {
    Phase phase = Phase::never;  // `there` means perhaps there
    bool retried = false;        // The node is to drop it, once it answers.
    engine::Claim claim;
    std::string payload;
  };
  Result<engine::Verdict> ask(std::size_t node, engine::Resource& resource,
                              engine::Deadline until);
  Result<engine::Verdict> ask_again(std::size_t node, engine::Resource& resource,
                                    MajorityWaker& majority_waker,
                                    Result<engine::Verdict> verdict,
                                    engine::Deadline until);
  void note_verdict(std::size_t node, const Result<engine::Verdict>& verdict) noexcept;
  void note_drop(std::size_t node, const Result<void>& dropped) noexcept;
  static void put(const engine::Claim& claim, NodeClaim& at_node);

  const std::shared_ptr<NodeResource> resource_;
  const FencingToken token_;
  const std::uint32_t tokens_;
  std::atomic<bool> withdrawn_{false};
  std::vector<NodeClaim> at_nodes_;
};

}  // namespace holdfast::quorum

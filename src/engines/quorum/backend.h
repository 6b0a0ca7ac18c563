// SPDX-License-Identifier: Apache-2.0

// engines/quorum/backend.h - what the resources of one session share: the nodes, and
// the claims.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engines/kit/claim_table.h"
#include "engines/quorum/claim_state.h"
#include "engines/quorum/token_clock.h"
#include "engines/quorum/transport/nodes.h"
#include "holdfast/engine/session.h"

namespace holdfast::quorum {

// The class is safe for concurrent use.
class Backend {
 public:
  // Returns when the sessions of a majority of the nodes are open.
  static Result<std::shared_ptr<Backend>> open(
      const std::vector<std::shared_ptr<engine::Engine>>& engines,
      const engine::SessionOptions& options);

  const Nodes& nodes() const noexcept { return nodes_; }

  // Returns what the nodes that are open warn of, and what servers they describe.
  std::vector<std::string> warnings() const;
  std::vector<engine::ServerDescription> descriptions() const;

  engine::LeaseTime ttl() const noexcept { return ttl_; }
  engine::LeaseTime lease_of(const engine::Claim& claim) const noexcept;

  // Returns the deadline for the answer of a node that is asked now.
  engine::Deadline node_deadline(engine::LeaseTime lease) const noexcept;

  // Returns whether the tokens of this kind are chosen here: every node that is open
  // can grant them.
  bool chooses_tokens(engine::Kind kind) const noexcept;
  TokenClock& token_clock() noexcept { return token_clock_; }

  engine::Ticket next_ticket() noexcept { return engine::Ticket{++last_ticket_}; }

  // What `renew` sees of a granted claim is its proposal.
  using Claims = kit::ClaimTable<ClaimState, std::shared_ptr<Proposal>>;
  Claims& claims() noexcept { return claims_; }

  // Drops the proposal at every node, even where the answer to its attempt was lost,
  // and retries until each node has confirmed the drop. It waits as `Nodes::ask` does.
  Answers<void> give_up(const std::shared_ptr<Proposal>& proposal,
                        engine::LeaseTime lease, engine::Deadline until,
                        std::function<bool(const Answers<void>&)> settled) const;

  // Forgets a granted claim that a majority does not have any more, because no `drop`
  // follows, and gives it up where it still is. Nothing is waited for.
  void lose(engine::Ticket ticket, engine::LeaseTime lease);

 private:
  Backend(const std::vector<std::shared_ptr<engine::Engine>>& engines,
          const engine::SessionOptions& options);

  const std::chrono::nanoseconds ttl_;
  std::atomic<std::uint64_t> last_ticket_{0};
  TokenClock token_clock_;
  Claims claims_;
  const Nodes nodes_;  // It is the last member, so that its threads end first.
};

}  // namespace holdfast::quorum

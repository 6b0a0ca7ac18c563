// SPDX-License-Identifier: Apache-2.0

// engines/quorum/resource.h - the waist's resource, at a majority of the nodes.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engines/quorum/backend.h"
#include "engines/quorum/node_resource.h"

namespace holdfast::quorum {

// Returns whether a majority of the nodes can support the kind. It cannot support
// counted claims, of which two halves may be granted to different owners, nor an order,
// since each node has its own, nor registers.
bool is_supported(engine::Kind kind) noexcept;

class QuorumResource final : public engine::Resource {
 public:
  QuorumResource(std::shared_ptr<Backend> backend, const engine::Address& address);

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;

  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

 private:
  bool supported() const noexcept { return is_supported(resource_->address().kind); }
  const Nodes& nodes() const noexcept { return backend_->nodes(); }

  std::shared_ptr<Proposal> make_proposal(const engine::Claim& claim);
  FencingToken choose_token(std::uint32_t tokens) noexcept;
  Result<engine::Verdict> propose(ClaimState& state, const engine::Claim& claim,
                                  engine::Deadline until);
  Result<engine::Verdict> propose_once(ClaimState& state, const engine::Claim& claim,
                                       engine::Deadline until);
  std::optional<engine::TokenBehind> learn_token(
      TokenClock::Time proposed, const Answers<engine::Verdict>& answers);
  engine::Blocked pause(ClaimState& state) const;
  engine::Blocked blocked(ClaimState& state,
                          const Answers<engine::Verdict>& answers) const;

  const std::shared_ptr<Backend> backend_;
  const std::shared_ptr<NodeResource> resource_;
  std::atomic<std::uint64_t> last_token_{0};  // the last one that this client knows of
};

}  // namespace holdfast::quorum

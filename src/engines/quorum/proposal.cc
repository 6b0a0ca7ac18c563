// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/proposal.h"

#include <optional>
#include <utility>
#include <variant>

#include "base/common_failures.h"

namespace holdfast::quorum {

using engine::Blocked;
using engine::Claim;
using engine::Deadline;
using engine::Granted;
using engine::SentCall;
using engine::Session;
using engine::Verdict;

namespace {

// Returns whether the claim is blocked at a node whose changes are not watched yet.
bool needs_watch(std::size_t node, const Result<Verdict>& verdict,
                 const MajorityWaker* majority_waker) {
  return verdict && std::holds_alternative<Blocked>(*verdict) &&
         majority_waker != nullptr && !majority_waker->watches(node);
}

}  // namespace

// If the node has to be watched, only `take` can go on, since that takes time.
class Proposal::SentAttempt final : public SentCall<Verdict> {
 public:
  SentAttempt(Proposal& proposal, std::size_t node, engine::Resource& resource,
              MajorityWaker* majority_waker, std::unique_ptr<SentCall<Verdict>> sent)
      : proposal_(proposal),
        node_(node),
        resource_(resource),
        majority_waker_(majority_waker),
        sent_(std::move(sent)) {}

  int fd() const noexcept override { return verdict_ ? -1 : sent_->fd(); }

  bool is_ready() override {
    if (!verdict_ && sent_->is_ready()) take_verdict(Deadline::max());
    return verdict_ && !needs_watch(node_, *verdict_, majority_waker_);
  }

  Result<Verdict> take(Deadline until) override {
    if (!verdict_) take_verdict(until);
    if (!needs_watch(node_, *verdict_, majority_waker_)) return *std::move(verdict_);
    return proposal_.ask_again(node_, resource_, *majority_waker_, *std::move(verdict_),
                               until);
  }

 private:
  void take_verdict(Deadline until) {
    verdict_ = sent_->take(until);
    proposal_.note_verdict(node_, *verdict_);
  }

  Proposal& proposal_;
  const std::size_t node_;
  engine::Resource& resource_;
  MajorityWaker* const majority_waker_;
  const std::unique_ptr<SentCall<Verdict>> sent_;
  std::optional<Result<Verdict>> verdict_;
};

class Proposal::SentDrop final : public SentCall<void> {
 public:
  SentDrop(Proposal& proposal, std::size_t node, std::unique_ptr<SentCall<void>> sent)
      : proposal_(proposal), node_(node), sent_(std::move(sent)) {}

  int fd() const noexcept override { return sent_->fd(); }
  bool is_ready() override { return sent_->is_ready(); }
  Result<void> take(Deadline until) override {
    auto dropped = sent_->take(until);
    proposal_.note_drop(node_, dropped);
    return dropped;
  }

 private:
  Proposal& proposal_;
  const std::size_t node_;
  const std::unique_ptr<SentCall<void>> sent_;
};

Proposal::Proposal(std::shared_ptr<NodeResource> resource, const Claim& claim,
                   std::size_t nodes)
    : resource_(std::move(resource)),
      token_(claim.token),
      tokens_(claim.tokens),
      at_nodes_(nodes) {
  for (NodeClaim& at_node : at_nodes_) put(claim, at_node);
}

std::string Proposal::quoted() const {
  return base::in_quotes(resource_->address().name);
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
  if (withdrawn_.load()) {
    return Failure(Errc::unavailable,
                   "the node was not asked for " + quoted() + " in time: try again");
  }
  const auto resource = resource_->at(node, session);
  if (!resource) return resource.error();
  auto verdict = ask(node, **resource, until);
  if (!needs_watch(node, verdict, majority_waker)) return verdict;
  return ask_again(node, **resource, *majority_waker, std::move(verdict), until);
}

std::unique_ptr<SentCall<Verdict>> Proposal::send_attempt(
    std::size_t node, Session& session, MajorityWaker* majority_waker) {
  engine::SplitCalls* const calls = resource_->split_calls_at(node, session);
  if (calls == nullptr) return nullptr;
  NodeClaim& at_node = at_nodes_[node];
  auto sent = calls->send_attempt(at_node.claim);
  if (sent == nullptr) return nullptr;
  at_node.phase = Phase::there;
  return std::make_unique<SentAttempt>(*this, node, **resource_->at(node, session),
                                       majority_waker, std::move(sent));
}

Result<Verdict> Proposal::ask(std::size_t node, engine::Resource& resource,
                              Deadline until) {
  auto verdict = resource.attempt(at_nodes_[node].claim, nullptr, until);
  note_verdict(node, verdict);
  return verdict;
}

// The claim may have become free before the watch began, so it is attempted once more.
Result<Verdict> Proposal::ask_again(std::size_t node, engine::Resource& resource,
                                    MajorityWaker& majority_waker,
                                    Result<Verdict> verdict, Deadline until) {
  if (!majority_waker.watch_node(node, resource, until)) return verdict;
  return ask(node, resource, until);
}

void Proposal::note_verdict(std::size_t node, const Result<Verdict>& verdict) noexcept {
  const bool refused = verdict && !std::holds_alternative<Granted>(*verdict);
  at_nodes_[node].phase = refused ? Phase::never : Phase::there;
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
  note_drop(node, dropped);
  return dropped;
}

// What is not at the node need not be sent.
std::unique_ptr<SentCall<void>> Proposal::send_drop(std::size_t node,
                                                    Session& session) {
  NodeClaim& at_node = at_nodes_[node];
  if (at_node.phase != Phase::there) return nullptr;
  engine::SplitCalls* const calls = resource_->split_calls_at(node, session);
  auto sent = calls != nullptr ? calls->send_drop(at_node.claim) : nullptr;
  if (sent == nullptr) return nullptr;
  return std::make_unique<SentDrop>(*this, node, std::move(sent));
}

void Proposal::note_drop(std::size_t node, const Result<void>& dropped) noexcept {
  NodeClaim& at_node = at_nodes_[node];
  if (dropped) at_node.phase = Phase::dropped;
  if (!dropped && dropped.error().code == Errc::not_held) {
    at_node.phase = Phase::absent;
  }
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

#include <algorithm>
#include <string>
#include <utility>

#include "engines/quorum/resource.h"

namespace holdfast::quorum {

using engine::Claim;
using engine::Deadline;
using engine::Granted;
using engine::Lease;

Result<Granted> QuorumResource::amend(const Claim& held, const Claim& wanted,
                                      Deadline until) {
  if (!supported()) return Errc::unsupported;
  const auto state = backend_->find(held.ticket);
  if (state == nullptr || state->proposal == nullptr) return Errc::not_held;
  const Lease lease = backend_->lease_of(wanted);
  Claim ours = wanted;
  ours.lease = lease;
  ours.tokens = 1;
  const auto in_time = backend_->node_deadline(lease);
  const Question<Granted> question = [=, proposal = state->proposal,
                                      payload = std::string(wanted.payload)](
                                         std::size_t node, engine::Session& session) {
    Claim next = ours;
    next.payload = payload;
    return proposal->amend(node, session, next, in_time);
  };
  const auto [outcome, answers] = nodes().decide(question, in_time, until, of_renewal);
  if (outcome == Outcome::no) return Errc::not_held;
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  std::vector<Lease> leases;
  for (const auto& each : answers) {
    if (each && *each) leases.push_back(std::min((*each)->lease, lease));
  }
  return Granted{.token = {}, .lease = agreed_lease(std::move(leases), nodes().size())};
}

Result<void> QuorumResource::drop(const Claim& claim, Deadline until) {
  if (!supported()) return Errc::unsupported;
  const auto state = backend_->find(claim.ticket);
  if (state == nullptr) return Errc::not_held;
  state->stop_waking();
  auto outcome = Outcome::yes;
  Answers<void> answers;
  if (state->proposal != nullptr) {
    answers = backend_->give_up(state->proposal, backend_->lease_of(claim), until,
                                [&](const Answers<void>& done) {
                                  outcome =
                                      of_drop(nodes().count(done, meaning_of<void>));
                                  return outcome != Outcome::open;
                                });
  }
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  backend_->leave(claim.ticket);
  if (outcome == Outcome::no) return Errc::not_held;
  return {};
}

}  // namespace holdfast::quorum

// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/backend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/time_left.h"

namespace holdfast::quorum {
namespace {

using namespace std::chrono_literals;
using engine::Deadline;
using engine::LeaseTime;

constexpr auto kLongestOpening = 6s;  // Engines give up earlier by themselves.
constexpr auto kStragglers = 200ms;   // After this time a majority is enough to begin
                                      // with.
constexpr std::chrono::nanoseconds kLeastAnswer = 50ms;

}  // namespace

Result<std::shared_ptr<Backend>> Backend::open(
    const std::vector<std::shared_ptr<engine::Engine>>& engines,
    const engine::SessionOptions& options) {
  std::shared_ptr<Backend> backend(new Backend(engines, options));
  const Nodes& nodes = backend->nodes_;
  const auto begun = Clock::now();
  Votes votes;
  const Question<void> nothing{
      .ask = [](std::size_t, engine::Session&) -> Result<void> { return {}; }};
  const auto ask = [&](std::chrono::nanoseconds span, auto enough) {
    return nodes.ask(nothing, begun + kLongestOpening, begun + span,
                     [&](const Answers<void>& answers) {
                       votes = nodes.count(answers, vote_of<void>);
                       return enough();
                     });
  };
  auto answers = ask(kStragglers, [&] { return votes.awaited + votes.silent == 0; });
  if (votes.yes < nodes.majority()) {
    answers = ask(kLongestOpening, [&] { return of_attempt(votes) != Outcome::open; });
  }
  if (votes.yes < nodes.majority()) return nodes.explain(answers);
  return backend;
}

Backend::Backend(const std::vector<std::shared_ptr<engine::Engine>>& engines,
                 const engine::SessionOptions& options)
    : ttl_(options.ttl), nodes_(engines, options) {}

LeaseTime Backend::lease_of(const engine::Claim& claim) const noexcept {
  const bool own = claim.lease != LeaseTime::zero() && claim.lease != engine::kNoLease;
  return own ? claim.lease : ttl_;
}

bool Backend::chooses_tokens(engine::Kind kind) const noexcept {
  bool all = true;
  nodes_.for_each_open([&](std::size_t, const engine::Session& session) {
    all = all && session.traits(kind).grants_named_tokens;
  });
  return all;
}

Deadline Backend::node_deadline(LeaseTime lease) const noexcept {
  return Clock::now() + std::max(kLeastAnswer, lease / 10);
}

std::vector<std::string> Backend::warnings() const {
  std::vector<std::string> all;
  nodes_.for_each_open([&](std::size_t i, const engine::Session& session) {
    for (const std::string& each : session.warnings()) {
      all.push_back("node " + std::to_string(i + 1) + ": " + each);
    }
  });
  return all;
}

// The session of a node may have been opened later than this one.
std::vector<engine::ServerDescription> Backend::descriptions() const {
  std::vector<engine::ServerDescription> all;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::string node = "node " + std::to_string(i + 1);
    const engine::Session* const session = nodes_[i].session();
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

Answers<void> Backend::give_up(
    const std::shared_ptr<Proposal>& proposal, LeaseTime lease, Deadline until,
    std::function<bool(const Answers<void>&)> settled) const {
  proposal->withdraw();
  const auto in_time = node_deadline(lease);
  const auto answer_time = base::time_left(in_time);
  const Question<void> question{
      .ask =
          [=](std::size_t node, engine::Session& session) {
            return proposal->drop(node, session, Clock::now() + answer_time);
          },
      .send =
          [=](std::size_t node, engine::Session& session) {
            return proposal->send_drop(node, session);
          },
      .needs_retry = [=](std::size_t node) { return proposal->needs_retry(node); }};
  return nodes_.ask(question, in_time, until, std::move(settled));
}

void Backend::lose(engine::Ticket ticket, LeaseTime lease) {
  const auto lost = claims_.lose(ticket);
  if (!lost) return;
  (void)give_up(lost->held, lease, Clock::now(),
                [](const Answers<void>&) { return true; });
}

}  // namespace holdfast::quorum

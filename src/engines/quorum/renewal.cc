// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/renewal.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace holdfast::quorum {
namespace {

using engine::ClaimRef;
using engine::LeaseTime;

// This is what one node says about one claim.
struct Renewed {
  std::error_code outcome;
  LeaseTime lease{};
};
using Renewals = std::vector<Renewed>;

struct Held {
  std::shared_ptr<Proposal> proposal;  // null means that no node has it
  LeaseTime lease;
};

Vote vote_of(std::error_code outcome) noexcept {
  if (!outcome) return Vote::yes;
  return outcome == Errc::not_held ? Vote::no : Vote::failed;
}

Result<Renewals> renew_at(std::size_t node, engine::Session& session,
                          const std::vector<Held>& held, engine::Deadline until) {
  Renewals renewals(held.size());
  std::vector<engine::Claim> claims(held.size());
  std::vector<ClaimRef> refs;
  std::vector<Renewed*> of;
  for (std::size_t i = 0; i < held.size(); ++i) {
    renewals[i].outcome = Errc::not_held;
    const engine::Claim* const claim =
        held[i].proposal != nullptr ? held[i].proposal->claim(node) : nullptr;
    if (claim == nullptr) continue;
    const auto resource = held[i].proposal->resource(node, session);
    if (!resource) return resource.error();
    claims[i] = *claim;
    claims[i].lease = held[i].lease;
    refs.push_back({*resource, &claims[i]});
    of.push_back(&renewals[i]);
  }
  if (auto sent = session.renew(refs, until); !sent) return std::move(sent).error();
  for (std::size_t i = 0; i < refs.size(); ++i) {
    *of[i] = {refs[i].outcome, refs[i].granted.lease};
  }
  const auto unanswered = [](const ClaimRef& each) {
    return each.outcome == Errc::unavailable || each.outcome == Errc::outcome_unknown;
  };
  if (!refs.empty() && std::ranges::all_of(refs, unanswered)) {
    return Failure(refs.front().outcome);
  }
  return renewals;
}

// Counts the answers about one of the claims.
Votes votes_on(std::size_t claim, const Nodes& nodes,
               const Answers<Renewals>& answers) {
  return nodes.count(answers, [claim](const Result<Renewals>& each) {
    return each ? vote_of((*each)[claim].outcome) : Vote::failed;
  });
}

}  // namespace

Result<void> renew_all(Backend& backend, std::span<ClaimRef> refs,
                       engine::Deadline until) {
  const Nodes& nodes = backend.nodes();
  std::vector<Held> held;
  LeaseTime shortest = backend.ttl();
  for (const ClaimRef& ref : refs) {
    held.push_back({backend.claims().held(ref.claim->ticket).value_or(nullptr),
                    backend.lease_of(*ref.claim)});
    shortest = std::min(shortest, held.back().lease);
  }
  const auto in_time = std::min(until, Clock::now() + shortest / 3);
  const Question<Renewals> question{
      .ask = [=](std::size_t node, engine::Session& session) {
        return renew_at(node, session, held, in_time);
      }};
  std::vector<Outcome> outcomes(refs.size(), Outcome::open);
  const auto answers =
      nodes.ask(question, in_time, until, [&](const Answers<Renewals>& so_far) {
        for (std::size_t i = 0; i < refs.size(); ++i) {
          outcomes[i] = of_renewal(votes_on(i, nodes, so_far));
        }
        return std::ranges::count(outcomes, Outcome::open) == 0;
      });
  for (std::size_t i = 0; i < refs.size(); ++i) {
    refs[i].outcome = outcomes[i] == Outcome::yes  ? std::error_code{}
                      : outcomes[i] == Outcome::no ? make_error_code(Errc::not_held)
                                                   : Errc::unavailable;
    if (outcomes[i] == Outcome::no) backend.lose(refs[i].claim->ticket, held[i].lease);
    if (outcomes[i] != Outcome::yes) continue;
    refs[i].granted.lease =
        agreed_lease(answers, held[i].lease, [i](const Renewals& renewals) {
          return renewals[i].outcome ? nullptr : &renewals[i].lease;
        });
  }
  return {};
}

}  // namespace holdfast::quorum

#include <algorithm>
#include <utility>
#include <variant>

#include "base/pause.h"
#include "engines/quorum/resource.h"

namespace holdfast::quorum {
namespace {

using namespace std::chrono_literals;
using engine::Blocked;
using engine::Claim;
using engine::Deadline;
using engine::Granted;
using engine::Lease;
using engine::Verdict;

constexpr std::chrono::nanoseconds kShortestPause = 10ms;
constexpr std::chrono::nanoseconds kLongestPause = 100ms;

// The clocks of the nodes may run faster than ours.
Lease drift_of(Lease lease) noexcept { return lease / 100 + 2ms; }

const Granted* granted(const std::optional<Result<Verdict>>& answer) noexcept {
  return answer && *answer ? std::get_if<Granted>(&**answer) : nullptr;
}

Answer meaning_of_verdict(const Result<Verdict>& answer) noexcept {
  if (!answer) return Answer::failed;
  return std::holds_alternative<Granted>(*answer) ? Answer::yes : Answer::no;
}

}  // namespace

Result<Verdict> QuorumResource::attempt(const Claim& claim, const engine::Waker& waker,
                                        Deadline until) {
  if (!supported()) return Errc::unsupported;
  const auto state = backend_->enter(claim.ticket);
  if (waker == nullptr) {
    state->stop_waking();
  } else if (state->majority_waker == nullptr ||
             state->majority_waker->waker() != waker) {
    state->stop_waking();
    state->majority_waker =
        std::make_shared<MajorityWaker>(waker, nodes().size(), nodes().majority());
  }
  auto verdict = propose(*state, claim, until);
  if (!verdict) return verdict;
  if (std::holds_alternative<Granted>(*verdict)) {
    state->stop_waking();
  } else if (waker == nullptr) {
    backend_->leave(claim.ticket);
  }
  return verdict;
}

Result<Verdict> QuorumResource::propose(ClaimState& state, const Claim& claim,
                                        Deadline until) {
  const Lease lease = backend_->lease_of(claim);
  if (state.proposal == nullptr) {
    Claim ours = claim;
    ours.ticket = backend_->next_ticket();
    ours.lease = lease;
    ours.tokens = 1;
    state.proposal = std::make_shared<Proposal>(resource_, ours, nodes().size());
  }
  const auto sent = Clock::now();
  const auto in_time = backend_->node_deadline(lease);
  const Question<Verdict> question = [=, &nodes = nodes(), proposal = state.proposal,
                                      majority_waker = state.majority_waker](
                                         std::size_t node,
                                         engine::Session& session) -> Result<Verdict> {
    if (nodes[node].is_retrying()) {
      return Failure(Errc::unavailable, "it has not confirmed an earlier release");
    }
    return proposal->attempt(node, session, majority_waker.get(), in_time);
  };
  auto [outcome, answers] =
      nodes().decide(question, in_time, until, of_attempt, meaning_of_verdict);

  if (outcome == Outcome::yes) {
    std::vector<Lease> leases;
    for (const auto& each : answers) {
      if (granted(each) != nullptr)
        leases.push_back(std::min(granted(each)->lease, lease));
    }
    const Lease least = agreed_lease(std::move(leases), nodes().size());
    if (Clock::now() < sent + least - drift_of(least)) {
      return Verdict(Granted{.token = {}, .lease = least});
    }
    outcome = Outcome::no;
  }
  // A node that granted the claim must be free again before another client tries.
  const auto freed = [&granted_by = answers](const Answers<void>& dropped) {
    for (std::size_t i = 0; i < dropped.size(); ++i) {
      if (!dropped[i] && granted(granted_by[i]) != nullptr) return false;
    }
    return true;
  };
  (void)backend_->give_up(std::exchange(state.proposal, nullptr), lease, until, freed);
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  return Verdict(blocked(state, answers));
}

// After a split vote, each client pauses for a random time of its own. Otherwise the
// waiter is rung, or tries again when a majority of the leases may be over.
Blocked QuorumResource::blocked(ClaimState& state,
                                const Answers<Verdict>& answers) const {
  std::vector<std::chrono::nanoseconds> waits;
  bool split = false;
  for (const auto& each : answers) {
    if (!each || !*each) continue;
    split = split || granted(each) != nullptr;
    if (const auto* const wait = std::get_if<Blocked>(&**each)) {
      waits.push_back(wait->retry_after);
    }
  }
  if (split) {
    state.pause = base::grown(state.pause, kShortestPause, kLongestPause);
    const auto pause = base::random_part(state.pause);
    if (state.majority_waker != nullptr)
      state.majority_waker->rest(Clock::now() + pause);
    return Blocked{pause};
  }
  state.pause = {};
  const auto needed = nodes().majority();
  const bool hears =
      state.majority_waker != nullptr && state.majority_waker->watched() >= needed;
  if (!hears || waits.size() < needed) return Blocked{kLongestPause};
  std::ranges::sort(waits);
  return Blocked{waits[needed - 1]};
}

}  // namespace holdfast::quorum

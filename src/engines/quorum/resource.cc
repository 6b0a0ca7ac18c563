// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/resource.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/pause.h"
#include "engines/quorum/listing.h"

namespace holdfast::quorum {

using namespace std::chrono_literals;
using engine::Blocked;
using engine::Claim;
using engine::Deadline;
using engine::Granted;
using engine::LeaseTime;
using engine::TokenBehind;
using engine::Verdict;

namespace {

constexpr std::chrono::nanoseconds kShortestPause = 10ms;
constexpr std::chrono::nanoseconds kLongestPause = 100ms;
constexpr std::chrono::nanoseconds kWatchAgain = 1s;

// A claim reserves no more tokens, which are microseconds, so that they do not run
// ahead of the clocks.
constexpr std::uint32_t kMostTokens = 64;
// So many tokens are tried before the client gives way to others.
constexpr int kTokensToTry = 3;

// The clocks of the nodes may run faster than ours.
LeaseTime drift_of(LeaseTime lease) noexcept { return lease / 100 + 2ms; }

const Granted* granted(const std::optional<Result<Verdict>>& answer) noexcept {
  return answer && *answer ? std::get_if<Granted>(&**answer) : nullptr;
}

Vote vote_of_verdict(const Result<Verdict>& answer) noexcept {
  if (!answer) return Vote::failed;
  return std::holds_alternative<Granted>(*answer) ? Vote::yes : Vote::no;
}

// Returns what a majority has granted. The token is the one that the claim named, if a
// majority has granted exactly that one; a node that joined late may have chosen its
// own.
Granted agreed_grant(const Proposal& proposal, const Answers<Verdict>& answers,
                     LeaseTime wanted) {
  Granted agreed{.token = {},
                 .lease = agreed_lease(answers, wanted, [](const Verdict& verdict) {
                   const auto* const grant = std::get_if<Granted>(&verdict);
                   return grant != nullptr ? &grant->lease : nullptr;
                 })};
  const auto as_named = std::ranges::count_if(answers, [&](const auto& each) {
    const Granted* const grant = granted(each);
    return grant != nullptr && grant->token == proposal.token() &&
           grant->tokens >= proposal.tokens();
  });
  if (static_cast<std::size_t>(as_named) >= majority_of(answers.size())) {
    agreed.token = proposal.token();
    agreed.tokens = proposal.tokens();
  }
  return agreed;
}

}  // namespace

bool is_supported(engine::Kind kind) noexcept {
  return kind == engine::Kind::mutex || kind == engine::Kind::election ||
         kind == engine::Kind::shared_mutex;
}

QuorumResource::QuorumResource(std::shared_ptr<Backend> backend,
                               const engine::Address& address)
    : backend_(std::move(backend)),
      resource_(std::make_shared<NodeResource>(address, backend_->nodes().size())) {}

Result<Verdict> QuorumResource::attempt(const Claim& claim, const engine::Waker& waker,
                                        Deadline until) {
  if (!supported()) return Errc::unsupported;
  const auto state = backend_->claims().find_or_add(claim.ticket);
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
    backend_->claims().publish(claim.ticket, state->proposal);
  } else if (waker == nullptr) {
    backend_->claims().erase(claim.ticket);
  }
  return verdict;
}

FencingToken QuorumResource::choose_token(std::uint32_t tokens) noexcept {
  std::uint64_t last = last_token_.load();
  for (;;) {
    const auto now = std::chrono::system_clock::now();
    const FencingToken token = backend_->token_clock().next_token(now, {last});
    if (last_token_.compare_exchange_weak(last, token.value + tokens - 1)) return token;
  }
}

std::shared_ptr<Proposal> QuorumResource::make_proposal(const Claim& claim) {
  Claim ours = claim;
  ours.ticket = backend_->next_ticket();
  ours.lease = backend_->lease_of(claim);
  ours.tokens = 1;
  if (backend_->chooses_tokens(resource_->address().kind)) {
    ours.tokens = std::clamp(claim.tokens, 1U, kMostTokens);
    ours.token = choose_token(ours.tokens);
  }
  return std::make_shared<Proposal>(resource_, ours, nodes().size());
}

// A client whose clock is behind learns of it from the nodes that refuse its token, and
// proposes another one at once.
Result<Verdict> QuorumResource::propose(ClaimState& state, const Claim& claim,
                                        Deadline until) {
  for (int i = 0; i < kTokensToTry; ++i) {
    auto verdict = propose_once(state, claim, until);
    if (!verdict || !std::holds_alternative<TokenBehind>(*verdict)) return verdict;
  }
  return Verdict(pause(state));
}

Result<Verdict> QuorumResource::propose_once(ClaimState& state, const Claim& claim,
                                             Deadline until) {
  const LeaseTime lease = backend_->lease_of(claim);
  const auto proposed = std::chrono::system_clock::now();
  if (state.proposal == nullptr) state.proposal = make_proposal(claim);
  const auto sent = Clock::now();
  const auto in_time = backend_->node_deadline(lease);
  const Question<Verdict> question{
      .ask = [=, &nodes = nodes(), proposal = state.proposal,
              wake = state.majority_waker](
                 std::size_t node, engine::Session& session) -> Result<Verdict> {
        if (nodes[node].is_retrying()) {
          return Failure(Errc::unavailable,
                         "the node is not asked for " + proposal->quoted() +
                             " until it has confirmed an earlier release: try again "
                             "later");
        }
        return proposal->attempt(node, session, wake.get(), in_time);
      },
      .send =
          [proposal = state.proposal, wake = state.majority_waker](
              std::size_t node, engine::Session& session) {
            return proposal->send_attempt(node, session, wake.get());
          }};
  auto [outcome, answers] =
      nodes().decide(question, in_time, until, of_attempt, vote_of_verdict);

  if (outcome == Outcome::yes) {
    const Granted grant = agreed_grant(*state.proposal, answers, lease);
    if (Clock::now() < sent + grant.lease - drift_of(grant.lease)) {
      return Verdict(grant);
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
  if (const auto behind = learn_token(proposed, answers)) return Verdict(*behind);
  return Verdict(blocked(state, answers));
}

// Returns nothing if another token would not help: too many nodes are taken.
std::optional<TokenBehind> QuorumResource::learn_token(
    TokenClock::Time proposed, const Answers<Verdict>& answers) {
  TokenBehind furthest{};
  std::size_t free = 0;
  for (const auto& each : answers) {
    if (!each || !*each) continue;
    const auto* const behind = std::get_if<TokenBehind>(&**each);
    if (behind != nullptr) furthest.last = std::max(furthest.last, behind->last);
    if (behind != nullptr || granted(each) != nullptr) ++free;
  }
  if (!furthest.last) return std::nullopt;
  backend_->token_clock().learn(proposed, furthest.last);
  std::uint64_t known = last_token_.load();
  while (known < furthest.last.value &&
         !last_token_.compare_exchange_weak(known, furthest.last.value)) {
  }
  if (free < nodes().majority()) return std::nullopt;
  return furthest;
}

// After a split vote, each client pauses for a random time of its own.
Blocked QuorumResource::pause(ClaimState& state) const {
  state.pause = base::grown(state.pause, kShortestPause, kLongestPause);
  const auto pause = base::random_part(state.pause);
  if (state.majority_waker != nullptr) {
    state.majority_waker->pause_until(Clock::now() + pause);
  }
  return Blocked{pause};
}

// If the vote was not split, the waiter is rung, or tries again when a majority of the
// leases may be over.
Blocked QuorumResource::blocked(ClaimState& state,
                                const Answers<Verdict>& answers) const {
  std::vector<std::chrono::nanoseconds> waits;
  bool split = false;
  for (const auto& each : answers) {
    if (!each || !*each) continue;
    const auto* const wait = std::get_if<Blocked>(&**each);
    split = split || wait == nullptr;
    if (wait != nullptr) waits.push_back(wait->retry_after);
  }
  if (split) return pause(state);
  state.pause = {};
  const auto needed = nodes().majority();
  const bool is_woken =
      state.majority_waker != nullptr && state.majority_waker->watched() >= needed;
  if (!is_woken || waits.size() < needed) return Blocked{kLongestPause};
  std::ranges::sort(waits);
  return Blocked{waits[needed - 1]};
}

Result<Granted> QuorumResource::amend(const Claim& held, const Claim& wanted,
                                      Deadline until) {
  if (!supported()) return Errc::unsupported;
  const auto state = backend_->claims().find(held.ticket);
  if (state == nullptr || state->proposal == nullptr) return Errc::not_held;
  const LeaseTime lease = backend_->lease_of(wanted);
  Claim ours = wanted;
  ours.lease = lease;
  ours.tokens = 1;
  const auto in_time = backend_->node_deadline(lease);
  const Question<Granted> question{
      .ask = [=, proposal = state->proposal, payload = std::string(wanted.payload)](
                 std::size_t node, engine::Session& session) {
        Claim next = ours;
        next.payload = payload;
        return proposal->amend(node, session, next, in_time);
      }};
  const auto [outcome, answers] = nodes().decide(question, in_time, until, of_renewal);
  if (outcome == Outcome::no) {
    backend_->lose(held.ticket, lease);
    return Errc::not_held;
  }
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  return Granted{.token = state->proposal->token(),
                 .tokens = state->proposal->tokens(),
                 .lease = agreed_lease(answers, lease, [](const Granted& amended) {
                   return &amended.lease;
                 })};
}

Result<void> QuorumResource::drop(const Claim& claim, Deadline until) {
  if (!supported()) return Errc::unsupported;
  const auto state = backend_->claims().find(claim.ticket);
  if (state == nullptr) return Errc::not_held;
  backend_->claims().withdraw(claim.ticket);
  state->stop_waking();
  auto outcome = Outcome::yes;
  Answers<void> answers;
  if (state->proposal != nullptr) {
    const auto settled = [&](const Answers<void>& done) {
      outcome = of_drop(nodes().count(done, vote_of<void>));
      return outcome != Outcome::open;
    };
    answers =
        backend_->give_up(state->proposal, backend_->lease_of(claim), until, settled);
  }
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  backend_->claims().erase(claim.ticket);
  if (outcome == Outcome::no) return Errc::not_held;
  return {};
}

Result<engine::Watch> QuorumResource::watch(const engine::Waker& waker,
                                            Deadline until) {
  if (!supported()) return Errc::unsupported;
  constexpr std::size_t kAnyNode = 1;
  const auto wake = std::make_shared<MajorityWaker>(waker, nodes().size(), kAnyNode);
  std::shared_ptr<void> keep(wake.get(), [wake](void*) { wake->close(); });
  const auto in_time = backend_->node_deadline(backend_->ttl());
  const auto question =
      ask_resource<void>(resource_, [=](std::size_t node, engine::Resource& at_node) {
        return wake->watch_node(node, at_node, in_time);
      });
  const auto [outcome, answers] = nodes().decide(question, in_time, until, of_inquiry);
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  return engine::Watch{std::move(keep), kWatchAgain};
}

Result<std::vector<engine::Entry>> QuorumResource::survey(std::size_t limit,
                                                          Deadline until) {
  if (!supported()) return Errc::unsupported;
  return quorum::survey(*backend_, resource_, limit, until);
}

Result<void> QuorumResource::evict(std::string_view owner, Deadline until) {
  if (!supported()) return Errc::unsupported;
  const auto in_time = backend_->node_deadline(backend_->ttl());
  const auto question = ask_resource<void>(
      resource_,
      [=, owner = std::string(owner)](std::size_t, engine::Resource& at_node) {
        return at_node.evict(owner, in_time);
      });
  const auto [outcome, answers] = nodes().decide(question, in_time, until, of_drop);
  if (outcome == Outcome::unknown) return nodes().explain(answers);
  if (outcome == Outcome::no) return Errc::not_held;
  return {};
}

}  // namespace holdfast::quorum

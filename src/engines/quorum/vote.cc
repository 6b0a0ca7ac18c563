// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/vote.h"

#include <algorithm>
#include <functional>

namespace holdfast::quorum {

Outcome of_attempt(const Votes& votes) noexcept {
  const auto needed = majority_of(votes.nodes);
  if (votes.yes >= needed) return Outcome::yes;
  if (votes.answered() + votes.pending() < needed) return Outcome::unknown;
  if (votes.yes + votes.pending() >= needed) return Outcome::open;
  return votes.answered() >= needed ? Outcome::no : Outcome::open;
}

Outcome of_renewal(const Votes& votes) noexcept {
  const auto needed = majority_of(votes.nodes);
  const auto blocking = votes.nodes - needed + 1;
  if (votes.yes >= needed) return Outcome::yes;
  if (votes.no >= blocking) return Outcome::no;
  return votes.pending() > 0 ? Outcome::open : Outcome::unknown;
}

Outcome of_drop(const Votes& votes) noexcept {
  const auto outcome = of_renewal(votes);
  if (outcome != Outcome::unknown) return outcome;
  if (votes.answered() < majority_of(votes.nodes)) return Outcome::unknown;
  return votes.yes > 0 ? Outcome::yes : Outcome::no;
}

Outcome of_inquiry(const Votes& votes) noexcept {
  if (votes.pending() > 0) return Outcome::open;
  return votes.yes >= majority_of(votes.nodes) ? Outcome::yes : Outcome::unknown;
}

engine::LeaseTime agreed_lease(std::vector<engine::LeaseTime> granted,
                               std::size_t nodes) {
  std::ranges::sort(granted, std::greater<>());
  return granted[majority_of(nodes) - 1];
}

}  // namespace holdfast::quorum

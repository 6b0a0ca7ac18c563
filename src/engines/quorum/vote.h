// SPDX-License-Identifier: Apache-2.0

// engines/quorum/vote.h - decides what the answers of the nodes amount to.
//
// These are pure functions, without nodes and clocks. A majority is more than half of
// all nodes, whether they can be reached or not.

#pragma once

#include <cstddef>
#include <vector>

#include "holdfast/engine/claim.h"

namespace holdfast::quorum {

// Any two majorities have at least one node in common.
constexpr std::size_t majority_of(std::size_t nodes) noexcept { return nodes / 2 + 1; }

// Vote is what one answer says.
enum class Vote { yes, no, failed };

// Votes counts the answers of the nodes so far. A node that is not counted has failed.
struct Votes {
  std::size_t nodes = 0;
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t awaited = 0;  // has not answered yet
  std::size_t silent = 0;   // has not answered yet, nor to the question before

  std::size_t answered() const noexcept { return yes + no; }

  // Returns how many answers are waited for. Once a majority has answered, a silent
  // node delays no caller.
  std::size_t pending() const noexcept {
    return awaited + (answered() < majority_of(nodes) ? silent : 0);
  }
};

enum class Outcome {
  open,     // more answers are needed
  yes,      // a majority says yes
  no,       // a majority cannot say yes any more
  unknown,  // too few nodes have answered
};

// Decides an attempt: yes means granted. A node that failed has not granted.
Outcome of_attempt(const Votes& votes) noexcept;

// Decides whether a claim is still held, for renewals and changes. It is lost only if
// so many nodes say no that a majority is impossible.
Outcome of_renewal(const Votes& votes) noexcept;

// Decides a drop: yes means that the claim was held until now, no means that it was
// not.
Outcome of_drop(const Votes& votes) noexcept;

// Decides whether enough nodes have reported. Observers wait for every node that can be
// reached.
Outcome of_inquiry(const Votes& votes) noexcept;

// Returns the lease that a majority has granted. REQUIRES: a majority has.
engine::LeaseTime agreed_lease(std::vector<engine::LeaseTime> granted,
                               std::size_t nodes);

}  // namespace holdfast::quorum

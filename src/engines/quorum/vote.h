// engines/quorum/vote.h - what the answers of the nodes amount to.
//
// Pure: no node, no clock. A majority is more than half of all nodes, whether they can
// be reached or not.

#pragma once

#include <cstddef>
#include <vector>

#include "holdfast/engine/claim.h"

namespace holdfast::quorum {

// Of two majorities, one node at least is in both.
constexpr std::size_t majority_of(std::size_t nodes) noexcept { return nodes / 2 + 1; }

// What the nodes have said so far. Those that are not counted have failed.
struct Votes {
  std::size_t nodes = 0;
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t awaited = 0;  // no answer yet
  std::size_t silent = 0;   // no answer yet, nor to what it was asked before

  std::size_t answered() const noexcept { return yes + no; }

  // Who is waited for. Once a majority has answered, a silent node holds nobody up.
  std::size_t pending() const noexcept {
    return awaited + (answered() < majority_of(nodes) ? silent : 0);
  }
};

enum class Outcome {
  open,     // wait for more answers
  yes,      // so it is, at a majority
  no,       // it is not, and cannot be
  unknown,  // too few have answered
};

// May it be taken? yes: granted. A node that failed has not granted.
Outcome of_attempt(const Votes& votes) noexcept;

// Is it still ours? For renewals and changes. Only a "no" of so many that a majority is
// out of the question means that it is lost.
Outcome of_tenure(const Votes& votes) noexcept;

// Has it ended? yes: it was ours until now; no: it had not been.
Outcome of_end(const Votes& votes) noexcept;

// Have enough told what they know? For observers, who hear everybody they can.
Outcome of_inquiry(const Votes& votes) noexcept;

// For how long a majority has granted. REQUIRES: a majority has.
engine::Lease agreed_lease(std::vector<engine::Lease> granted, std::size_t nodes);

}  // namespace holdfast::quorum

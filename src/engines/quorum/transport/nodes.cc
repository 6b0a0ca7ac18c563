// SPDX-License-Identifier: Apache-2.0

#include "engines/quorum/transport/nodes.h"

#include <algorithm>

namespace holdfast::quorum {

Nodes::Nodes(const std::vector<std::shared_ptr<engine::Engine>>& engines,
             const engine::SessionOptions& options) {
  for (const auto& each : engines) {
    nodes_.push_back(std::make_unique<Node>(each, options));
  }
}

// All nodes stop at the same time, not one after the other.
Nodes::~Nodes() {
  for (const auto& each : nodes_) each->stop();
}

// If so many nodes refuse that the others are no majority, the refusal is final.
Failure Nodes::explain(const Failures& failures) const {
  std::size_t answered = size();
  std::size_t refusals = 0;
  std::size_t first = size();
  std::size_t first_refusal = size();
  for (std::size_t i = 0; i < size(); ++i) {
    if (!failures[i]) continue;
    --answered;
    first = std::min(first, i);
    if (base::is_transient(*failures[i])) continue;
    ++refusals;
    first_refusal = std::min(first_refusal, i);
  }
  const auto said_by = [&](std::size_t node) {
    return "node " + std::to_string(node + 1) + ": " + failures[node]->message();
  };
  if (refusals > size() - majority()) {
    return {failures[first_refusal]->code, said_by(first_refusal)};
  }
  std::string text = "only " + std::to_string(answered) + " of the " +
                     std::to_string(size()) + " nodes of the quorum answered, and " +
                     std::to_string(majority()) + " are needed";
  if (first < size()) text += ": " + said_by(first);
  return {Errc::unavailable, std::move(text)};
}

}  // namespace holdfast::quorum

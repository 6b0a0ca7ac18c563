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
Failure Nodes::explain(const std::vector<Failure>& failures) const {
  const auto final = [](const Failure& each) { return !base::is_transient(each); };
  const auto refusals = std::ranges::count_if(failures, final);
  if (static_cast<std::size_t>(refusals) > size() - majority()) {
    return *std::ranges::find_if(failures, final);
  }
  std::string text = "only " + std::to_string(size() - failures.size()) + " of the " +
                     std::to_string(size()) + " nodes of the quorum answered, and " +
                     std::to_string(majority()) + " are needed";
  if (!failures.empty()) text += ": " + failures.front().message();
  return {Errc::unavailable, std::move(text)};
}

}  // namespace holdfast::quorum

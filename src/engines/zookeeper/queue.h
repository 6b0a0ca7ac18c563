// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/queue.h - the queue of claims in one directory.
//
// Creating a claim's node and listing what is ahead of it is one round trip: the server
// answers a session's requests in order, so both are sent together. A claim that has to
// wait watches its obstacle, the node that must go first, and its own node. If the
// obstacle was the only one, its deletion grants the claim without another request.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/zookeeper/backend.h"
#include "engines/zookeeper/children.h"
#include "engines/zookeeper/claim_state.h"

namespace holdfast::zookeeper {

// Adds requests to the batch that reads the queue.
class BatchExtension {
 public:
  virtual ~BatchExtension() = default;
  virtual void add_requests(Batch& batch) = 0;
  virtual void read_answers(const Batch& batch) = 0;
  virtual void not_sent() = 0;  // no batch was needed: earlier answers are out of date
};

// Deletes the node of a claim, which is then in the state before its first attempt.
Result<void> remove_node(Backend& backend, ClaimState& state, engine::Deadline until);

// What a claim has to wait for.
struct ObstacleNode {
  std::string child;  // empty means that the claim is admitted
  bool last = false;  // its deletion grants the claim
  std::size_t ahead = 0;
};
// Puts the children in order. Returns nothing if `own`, the claim's node, is not among
// them.
std::optional<ObstacleNode> find_obstacle(engine::Kind kind, std::string_view own,
                                          std::vector<std::string>& children);

class QueueDirectory {
 public:
  QueueDirectory(Backend& backend, std::string directory, engine::Kind kind);

  const std::string& directory() const noexcept { return directory_; }

  // Creates the claim's node with this content, unless it exists, and says whether the
  // claim is admitted. If not, `waker` rings when it may be. With a null `waker` a
  // claim that is not admitted leaves no node behind. After an error a node may be
  // left.
  struct Admission {
    bool admitted;
    std::size_t ahead = 0;  // about how many claims are ahead
  };
  Result<Admission> poll(ClaimState& state, engine::Mode mode, std::string_view content,
                         const engine::Waker& waker, engine::Deadline until,
                         BatchExtension* extension = nullptr);

 private:
  bool is_known_to_be_first(const ClaimState& state) const noexcept;
  Result<bool> read_directory(ClaimState& state, engine::Mode mode,
                              std::string_view content,
                              std::vector<std::string>& children,
                              engine::Deadline until, BatchExtension* extension);
  Result<bool> recover(ClaimState& state, NodeRole role,
                       const std::vector<std::string>& children,
                       engine::Deadline until);
  Result<void> check_children(const ClaimState& state, const Answer& listed,
                              engine::Deadline until) const;
  Result<bool> watch_obstacle(ClaimState& state, const ObstacleNode& obstacle,
                              const engine::Waker& waker, engine::Deadline until);
  std::string path(std::string_view child) const;

  Backend& backend_;
  const std::string directory_;
  const engine::Kind kind_;
};

}  // namespace holdfast::zookeeper

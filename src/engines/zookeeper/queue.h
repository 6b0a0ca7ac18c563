// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/queue.h - the queue of claims in one directory.
//
// Creating a claim's node and listing what is ahead of it is one round trip: the server
// answers a session's requests in order, so both are sent together. A claim that has to
// wait watches its obstacle, the node that must go first, and its own node. If the
// obstacle was the only one, its deletion makes the claim the first of the queue
// without another request.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/zookeeper/children.h"
#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {

// Orders the children of a directory, and leaves out those that make no difference to
// the claim with the node `own`. Returns nothing if that is not among them.
std::optional<ClaimResource::Snapshot> queue_of(engine::Kind kind, std::string_view own,
                                                std::vector<std::string> children);

// Returns whether the claim is the first of the queue as soon as the obstacle is
// deleted.
bool is_last(const ClaimResource::Snapshot& queue, const kit::Obstacle& obstacle);

class Queue : public ClaimResource {
 public:
  Result<std::optional<Snapshot>> look(ClaimState& state, const engine::Claim& claim,
                                       engine::Deadline until) override;
  Result<bool> arm(ClaimState& state, const Snapshot& queue,
                   const kit::Obstacle& obstacle, const engine::Waker& waker,
                   engine::Deadline until) override;

 protected:
  // The queue in `directory` is one of `order`, which differs from `kind` for a
  // semaphore.
  Queue(std::shared_ptr<Backend> backend, std::string path, engine::Kind kind,
        std::string directory, engine::Kind order);

  const std::string& directory() const noexcept { return directory_; }

  // Looks for a claim that is known to be the first of the queue; `look` asks whether
  // it is. Where the queue alone decides, nothing more need be asked.
  virtual Result<std::optional<Snapshot>> look_as_first(ClaimState& state,
                                                        const engine::Claim& claim,
                                                        engine::Deadline until);

  // A kind that has to know more than the queue asks for it in the same batch.
  // `watched` tells on what the requests set watches, and `first` is the index of the
  // first answer.
  enum class Watched : std::uint8_t { nothing, permits, both };
  virtual std::size_t add_requests(Batch& batch, Watched watched) const;
  virtual Result<void> read_answers(const Batch& batch, std::size_t first,
                                    Watched watched, Snapshot& queue) const;

 private:
  Result<void> recover(ClaimState& state, NodeRole role,
                       const std::vector<std::string>& children,
                       engine::Deadline until);
  Result<void> check_children(const ClaimState& state, const Answer& listed,
                              engine::Deadline until) const;
  std::string node_of(std::string_view child) const;
  static bool is_known_to_be_first(const ClaimState& state) noexcept;

  const std::string directory_;
  const engine::Kind order_;
};

}  // namespace holdfast::zookeeper

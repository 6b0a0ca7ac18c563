// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/ordered_queue.h - mutex, fair mutex, shared mutex and election: a
// queue of claims in one directory.

#pragma once

#include "engines/zookeeper/queue.h"
#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {

class OrderedQueue final : public ZookeeperResource {
 public:
  OrderedQueue(std::shared_ptr<Backend> backend, std::string path, engine::Kind kind);

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;

 private:
  std::string reader_of(const ClaimState& writer) const;

  const engine::Kind kind_;
  QueueDirectory queue_;
};

}  // namespace holdfast::zookeeper

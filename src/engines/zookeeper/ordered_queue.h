// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/ordered_queue.h - mutex, fair mutex, shared mutex and election: a
// queue of claims in one directory.

#pragma once

#include "engines/zookeeper/queue.h"

namespace holdfast::zookeeper {

class OrderedQueue final : public Queue {
 public:
  OrderedQueue(std::shared_ptr<Backend> backend, const std::string& path,
               engine::Kind kind)
      : Queue(std::move(backend), path, kind, path, kind) {}

  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;

 private:
  Result<void> send_change(ClaimState& state, const engine::Claim& wanted,
                           Batch& batch) override;
  Result<void> read_change(ClaimState& state, const engine::Claim& wanted,
                           const Batch& batch) override;
  std::string reader_of(const ClaimState& writer) const;
};

}  // namespace holdfast::zookeeper

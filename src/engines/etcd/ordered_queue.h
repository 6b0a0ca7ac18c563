// SPDX-License-Identifier: Apache-2.0

// engines/etcd/ordered_queue.h - mutex, fair mutex, election and shared mutex: a queue
// of claims in the order in which their keys were created.

#pragma once

#include <utility>

#include "engines/etcd/queue.h"

namespace holdfast::etcd {

// A writer waits for all claims ahead of it, a reader for the writers ahead. As Go's
// package does, each watches only the nearest of these, its predecessor, and reads the
// queue again when that has ended. No more of the queue is read than that.
class OrderedQueue final : public Queue {
 public:
  OrderedQueue(Backend& backend, std::string key, engine::Kind kind)
      : Queue(backend, std::move(key), kind) {}

  Result<void> rewrite(ClaimState& state, const engine::Claim& wanted,
                       engine::Deadline until) override;

 private:
  std::string new_key(std::int64_t lease, const engine::Claim& claim) override;
  void add_queries(Txn::Branch branch, const engine::Claim& claim,
                   std::int64_t revision) const override;
  Result<bool> read(const engine::Claim& claim, const ClaimState& state,
                    Snapshot& queue, engine::Deadline until) override;

  bool reads(const engine::Claim& claim) const noexcept;
};

}  // namespace holdfast::etcd

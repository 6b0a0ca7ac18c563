// SPDX-License-Identifier: Apache-2.0

// engines/etcd/ordered_queue.h - mutex, fair mutex, election and shared mutex: a queue
// of claims in the order in which their keys were created.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/etcd/queue.h"

namespace holdfast::etcd {

// Asks for the newest of the keys below N that a claim waits for: those of all claims,
// or of the writers if it `reads`. `revision` is that of the claim's own key. It is
// zero if the key is created in the same transaction; the own key may then be the first
// of two that are found.
wire::RangeRequest ask_for_predecessor(const std::string& below, bool reads,
                                       std::int64_t revision);

// Returns the predecessor of the claim with the key `own`, or null if it has none.
const wire::KeyValue* find_predecessor(const wire::RangeResponse& answer,
                                       const std::string& own);

// Returns the queue of a claim as far as it makes a difference to the claim: what the
// predecessor's key is for, if it has one, and the claim itself, which comes last.
std::vector<engine::QueueEntry> queue_behind(std::optional<KeyRole> predecessor,
                                             engine::Mode mode);

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

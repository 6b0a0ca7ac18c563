// SPDX-License-Identifier: Apache-2.0

// engines/etcd/double_barrier.h - parties that enter together.
//
//   N/waiters/<lease>-<ticket>   one key for each claim
//   N/ready                      from when all have come until all have left

#pragma once

#include <cstdint>
#include <string_view>

#include "engines/etcd/registers.h"
#include "engines/etcd/resource.h"

namespace holdfast::etcd {

// Reads the keys below N, in the order of their creation, as the queue of the party
// with the key `own`. `opened` is the revision at which `ready` was last written, or
// zero. Returns false if one of the keys is not a double barrier's.
bool read_parties(const wire::RangeResponse& keys, std::string_view below,
                  std::string_view own, std::int64_t opened, kit::QueueSnapshot& queue);

class DoubleBarrierQueue final : public Queue {
 public:
  DoubleBarrierQueue(Backend& backend, std::string key);

  // Opens the barrier for the parties in `queue`, or joins those that have entered.
  Result<bool> admit(const ClaimState& state, const engine::Claim& claim,
                     const Snapshot& queue, engine::Deadline until) override;

 private:
  std::string new_key(std::int64_t lease, const engine::Claim& claim) override;
  void add_queries(Txn::Branch branch, const engine::Claim& claim,
                   std::int64_t revision) const override;
  Result<bool> read(const engine::Claim& claim, const ClaimState& state,
                    Snapshot& queue, engine::Deadline until) override;
  Result<void> close(std::int64_t opened, engine::Deadline until);

  const std::string ready_key_;
};

class DoubleBarrierResource final : public ClaimResource {
 public:
  DoubleBarrierResource(const std::shared_ptr<Backend>& backend, std::string key);

  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<engine::Value> load(engine::Deadline until) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;

 private:
  Result<void> close_if_empty(engine::Deadline until);

  Register ready_;
};

}  // namespace holdfast::etcd

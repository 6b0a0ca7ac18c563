// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/double_barrier.h - parties that enter together.

#pragma once

#include "engines/zookeeper/registers.h"
#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {

// There is a node <path>/<uuid> for each claim, and <path>/ready from when all have
// come.
class DoubleBarrierResource final : public ClaimResource {
 public:
  DoubleBarrierResource(std::shared_ptr<Backend> backend, std::string path);

  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<engine::Value> load(engine::Deadline until) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;

  Result<std::optional<Snapshot>> look(ClaimState& state, const engine::Claim& claim,
                                       engine::Deadline until) override;
  // Opens the barrier for the parties in `queue`, or joins those that have entered.
  Result<bool> admit(ClaimState& state, const engine::Claim& claim,
                     const Snapshot& queue, engine::Deadline until) override;
  Result<bool> arm(ClaimState& state, const Snapshot& queue,
                   const kit::Obstacle& obstacle, const engine::Waker& waker,
                   engine::Deadline until) override;

 private:
  Result<std::optional<Snapshot>> find_inside(Snapshot queue, engine::Deadline until);
  Result<void> close(engine::Deadline until);
  Result<bool> is_a_latch(engine::Deadline until);

  Register ready_;
};

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/double_barrier.h - parties that enter together.

#pragma once

#include "engines/zookeeper/registers.h"
#include "engines/zookeeper/resource.h"

namespace holdfast::zookeeper {

// There is a node <path>/<uuid> for each claim, and <path>/ready from when all have
// come.
class DoubleBarrierResource final : public ZookeeperResource {
 public:
  DoubleBarrierResource(std::shared_ptr<Backend> backend, std::string path);

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<engine::Value> load(engine::Deadline until) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;

 private:
  Result<bool> is_a_latch(engine::Deadline until);
  struct Snapshot {
    std::vector<std::string> members;
    std::optional<std::int64_t> opened;  // the zxid at which it was opened
  };
  Result<std::optional<Snapshot>> read_members(ClaimState& state,
                                               const engine::Claim& claim,
                                               const engine::Waker& waker,
                                               engine::Deadline until);
  Result<bool> enter(ClaimState& state, const engine::Claim& claim,
                     const engine::Waker& waker, engine::Deadline until,
                     std::size_t& present);
  Result<bool> open(const std::vector<std::string>& members, engine::Deadline until);
  Result<bool> join(std::int64_t opened, const engine::Claim& claim,
                    const std::vector<std::string>& members, engine::Deadline until);
  Result<void> close(engine::Deadline until);

  Register ready_;
};

}  // namespace holdfast::zookeeper

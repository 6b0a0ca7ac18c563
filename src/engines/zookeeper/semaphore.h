// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/semaphore.h - semaphores.
//
//   <path>/locks     a queue: only its first claim may take permits
//   <path>/leases    a node for each permit that is taken
//   <path>/permits   the capacity, as a SharedCount that Java can read

#pragma once

#include "engines/zookeeper/queue.h"
#include "engines/zookeeper/registers.h"
#include "engines/zookeeper/resource.h"
#include "engines/zookeeper/semaphore_view.h"

namespace holdfast::zookeeper {

class SemaphoreResource final : public ZookeeperResource {
 public:
  SemaphoreResource(std::shared_ptr<Backend> backend, std::string path);

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<engine::Value> load(engine::Deadline until) override;
  Result<engine::Value> add(std::int64_t by, engine::Ticket ticket,
                            engine::Deadline until) override;
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;

 private:
  std::vector<std::string> directories() const override;
  std::vector<WatchTarget> watch_targets() const override;

  Result<std::uint32_t> capacity_of(const SemaphoreView& view,
                                    const engine::Claim& claim, engine::Deadline until);
  Result<void> is_enough(const SemaphoreView& view, const engine::Claim& claim) const;
  Result<bool> take(ClaimState& state, const engine::Claim& claim, SemaphoreView& view,
                    engine::Deadline until);
  Result<void> make_leases(ClaimState& state, const engine::Claim& claim,
                           engine::Deadline until);
  Result<bool> recover(ClaimState& state, engine::Deadline until);
  void remove_parts(engine::Deadline until);
  static void leave_queue(ClaimState& state);
  Result<void> check(engine::Deadline until);
  Result<void> leave(const engine::Claim& claim, engine::Deadline until);

  const std::string leases_;
  QueueDirectory queue_;
  Register permits_;
  std::atomic<bool> known_{false};  // the path is known to be a semaphore's
};

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

// engines/zookeeper/semaphore.h - semaphores.
//
//   <path>/locks     a queue: only its first claim may take permits
//   <path>/leases    a node for each permit that is taken
//   <path>/permits   the capacity, as a SharedCount that Java can read

#pragma once

#include <cstdint>

#include "engines/zookeeper/queue.h"
#include "engines/zookeeper/registers.h"

namespace holdfast::zookeeper {

// Turns the queue in <path>/locks of a claim that wants so many permits into that of
// the semaphore. The nodes do not tell how many permits the claims ahead want, and only
// the first of them may take any: each is counted as one that wants all.
void count_permits(ClaimResource::Snapshot& queue, std::uint32_t permits);

// A waiter watches the capacity, too, and the first of the queue the list of leases.
class SemaphoreResource final : public kit::WithRegister<SemaphoreResource, Queue> {
 public:
  SemaphoreResource(std::shared_ptr<Backend> backend, const std::string& path);

  Register& number() noexcept { return permits_; }
  Result<engine::Exchanged> exchange(const engine::Value& from,
                                     std::optional<std::int64_t> to,
                                     engine::Ticket ticket,
                                     engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;

  Result<std::optional<Snapshot>> look(ClaimState& state, const engine::Claim& claim,
                                       engine::Deadline until) override;
  Result<kit::Capacity> set_capacity(ClaimState& state, const engine::Claim& claim,
                                     engine::Deadline until) override;
  // Makes the leases.
  Result<bool> admit(ClaimState& state, const engine::Claim& claim,
                     const Snapshot& queue, engine::Deadline until) override;
  Result<bool> arm(ClaimState& state, const Snapshot& queue,
                   const kit::Obstacle& obstacle, const engine::Waker& waker,
                   engine::Deadline until) override;

 private:
  std::vector<std::string> directories() const override;
  std::vector<WatchTarget> watch_targets() const override;
  Result<std::optional<Snapshot>> look_as_first(ClaimState& state,
                                                const engine::Claim& claim,
                                                engine::Deadline until) override;
  std::size_t add_requests(Batch& batch, Watched watched) const override;
  Result<void> read_answers(const Batch& batch, std::size_t first, Watched watched,
                            Snapshot& queue) const override;
  Result<void> send_change(ClaimState& state, const engine::Claim& wanted,
                           Batch& batch) override;
  Result<void> read_change(ClaimState& state, const engine::Claim& wanted,
                           const Batch& batch) override;

  Result<bool> recover(ClaimState& state, std::uint32_t permits,
                       engine::Deadline until);
  Result<void> check(engine::Deadline until);
  void remove_parts(engine::Deadline until);

  const WatchTarget leases_;
  Register permits_;
  const WatchTarget watched_permits_{permits_.path()};
  std::atomic<bool> known_{false};  // the path is known to be a semaphore's
};

}  // namespace holdfast::zookeeper

// SPDX-License-Identifier: Apache-2.0

// engines/mysql/queue.h - claims that are granted in order: a row and a bell for each.
//
// A claim enters by one statement that writes its row and takes its bell. Then it reads
// the queue and asks the rule that all engines share. If its turn has come, it writes
// that, provided that no claim was granted since it read the queue. If not, it waits
// for the bell of its obstacle. Where any of several claims may end first, and where
// there are no bells, the poller watches the queue.

#pragma once

#include <optional>

#include "engines/mysql/claims.h"
#include "engines/mysql/queue_rows.h"

namespace holdfast::mysql {

struct QueueClaimState : ClaimState {
  std::uint64_t id = 0;          // zero means that it is not in the queue
  Clock::time_point written_at;  // while it waits
  std::uint64_t obstacle = 0;    // the claim whose bell is waited for
  bool was_rung = false;         // that bell was free
  std::uint64_t ignored = 0;     // the claim whose bell is not waited for any more
  std::uint32_t capacity = 0;    // of a semaphore, as it was last read
};

class QueueResource final : public ClaimsResource<QueueClaimState> {
 public:
  using ClaimsResource::ClaimsResource;

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> renew(const engine::Claim& claim, engine::Deadline until) override;

 private:
  // Goes one round of an attempt; nothing means that another one is needed.
  using Step = std::optional<engine::Verdict>;
  Result<Step> step(QueueClaimState& state, const engine::Claim& claim,
                    const engine::Waker& waker, engine::Deadline until);

  Result<void> enter(QueueClaimState& state, const engine::Claim& claim,
                     engine::Deadline until);
  Result<bool> enter_by(const Sql& sql, QueueClaimState& state,
                        const engine::Claim& claim, engine::Deadline until);
  void start_again(QueueClaimState& state);
  Result<QueueRows> read(QueueClaimState& state, engine::Deadline until);
  Result<std::optional<std::uint32_t>> capacity(const QueueRows& queue,
                                                const engine::Claim& claim,
                                                engine::Deadline until);
  Result<void> grant(QueueClaimState& state, const QueueRows& queue,
                     engine::Deadline until);
  Result<void> accept(QueueClaimState& state, const QueuedClaim& own,
                      engine::Deadline until);

  // Returns whether the obstacle was given less time, because its bell was free.
  Result<bool> shorten_waiter_lease(QueueClaimState& state, const QueuedClaim* obstacle,
                                    engine::Deadline until);
  Result<bool> arm(QueueClaimState& state, const QueuedClaim* obstacle,
                   const engine::Waker& waker, engine::Deadline until);
  void wait_for_bell(QueueClaimState& state, const QueuedClaim& obstacle,
                     const engine::Waker& waker);
  static void take_outcome(QueueClaimState& state);
  static void wait_no_more(QueueClaimState& state);
  Result<void> keep_alive(QueueClaimState& state, engine::Deadline until);

  Result<void> give_up(QueueClaimState& state, engine::Deadline until) override;
};

}  // namespace holdfast::mysql

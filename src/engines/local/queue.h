// SPDX-License-Identifier: Apache-2.0

// engines/local/queue.h - the claims on one name: how they are taken, amended, renewed
// and dropped under the record's guard.
//
// A claim that queues or has a lease is a cell in the record's list. The claim on a
// free lock has none: LocalResource takes and drops it without a guard.
//
// The head of a mutex's queue watches the lock for a moment before `attempt` says that
// it is blocked (engines/local/barging.h).

#pragma once

#include "engines/local/bound_record.h"

namespace holdfast::local {

class Queue {
 public:
  explicit Queue(BoundRecord& record) noexcept : record_(record) {}

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker, engine::Deadline until);
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until);
  Result<engine::Granted> renew(const engine::Claim& claim, engine::Deadline until);
  Result<void> drop(const engine::Claim& claim, engine::Deadline until);

  // Frees the cell of a claim that is in no list, if it has one.
  void forget(const engine::Claim& claim) noexcept;

 private:
  ProcessSlot& process() const noexcept { return *record_.process(); }
  ClaimCell& claim_at(BlockIndex cell) const noexcept {
    return record_.segment().at<ClaimCell>(cell);
  }

  Result<engine::Verdict> attempt_again(const engine::Claim& claim,
                                        const engine::Waker& waker, BlockIndex cell,
                                        engine::Deadline until);
  ClaimPhase accept(BlockIndex cell) const noexcept;
  RecordGuard::NextStep next_step_of(BlockIndex cell) const noexcept;
  Result<engine::Blocked> look(BlockIndex cell, RecordGuard::NextStep next,
                               engine::Deadline until);
  Result<engine::Verdict> watch_as_head(const engine::Claim& claim, BlockIndex cell,
                                        engine::Blocked blocked,
                                        engine::Deadline until);
  Result<engine::Verdict> enqueue(const engine::Claim& claim,
                                  const engine::Waker& waker, BlockIndex cell,
                                  engine::Deadline until);
  Result<void> store_capacity(std::uint32_t capacity, engine::Deadline until);
  Result<BlockIndex> new_cell(const engine::Claim& claim);
  void free_cell(std::uint64_t ticket, BlockIndex cell) noexcept;
  void recycle(BlockIndex cell) noexcept;
  Result<engine::Verdict> outcome_of(const engine::Claim& claim, BlockIndex cell,
                                     engine::Deadline until);
  Result<engine::Verdict> verdict_of(const engine::Claim& claim, BlockIndex cell) const;
  engine::Blocked blocked(const RecordGuard& guard, BlockIndex cell) const;
  Failure too_many(std::uint32_t permits, std::int64_t capacity) const;

  BoundRecord& record_;
};

}  // namespace holdfast::local

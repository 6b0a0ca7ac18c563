// SPDX-License-Identifier: Apache-2.0

// engines/mysql/plain_lock.h - ?mode=getlock: a mutex that is nothing but GET_LOCK.
//
// The lock has its name as other programs spell it, and no row. It is held for as long
// as the connection that took it lives. There is no token; and if the connection is
// cut, the lock is free at once, though its holder learns that only at the next
// renewal. The bell of its claim is the lock itself.

#pragma once

#include "engines/mysql/claims.h"

namespace holdfast::mysql {

class PlainLockResource final : public ClaimsResource<ClaimState> {
 public:
  using ClaimsResource::ClaimsResource;

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> renew(const engine::Claim& claim, engine::Deadline until) override;
  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view, engine::Deadline) override {
    return Errc::not_held;
  }

 private:
  Result<void> take(ClaimState& state, engine::Deadline until);
  void wait_for_lock(ClaimState& state, const engine::Waker& waker);
  void take_outcome(ClaimState& state);
  Result<bool> has_lock(const std::shared_ptr<Connection>& connection,
                        engine::Deadline until);
  Result<void> give_up(ClaimState& state, engine::Deadline until) override;
};

}  // namespace holdfast::mysql

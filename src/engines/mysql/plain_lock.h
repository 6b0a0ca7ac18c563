// engines/mysql/plain_lock.h - ?mode=getlock: a mutex that is nothing but GET_LOCK.
//
// The name is the lock's, as other programs spell it. It is held for as long as the
// connection that took it: there is no token, and a cut connection ends it at once,
// though its holder learns that only at the next renewal.

#pragma once

#include "engines/kit/claim_table.h"
#include "engines/mysql/resource.h"

namespace holdfast::mysql {

class PlainLockResource final : public MysqlResource {
 public:
  PlainLockResource(std::shared_ptr<Backend> backend, const engine::Address& address)
      : MysqlResource(std::move(backend), address) {}

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<void> renew(const engine::Claim& claim, engine::Deadline until) override;
  Result<engine::Watch> watch(const engine::Waker& waker,
                              engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;

 private:
  struct ClaimState {
    std::shared_ptr<Connection> held_by;  // null: it is not ours
    std::shared_ptr<BellWait> wait;
    bool granted = false;
    Clock::time_point asked;  // when it was
  };

  Result<bool> take(ClaimState& state, engine::Deadline until);
  void take_outcome(ClaimState& state);
  void start_waiting(ClaimState& state, const engine::Waker& waker);
  Result<void> give_up(ClaimState& state, engine::Deadline until);

  kit::ClaimTable<ClaimState, std::shared_ptr<Connection>> claims_;
};

}  // namespace holdfast::mysql

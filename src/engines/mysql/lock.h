// SPDX-License-Identifier: Apache-2.0

// engines/mysql/lock.h - a mutex, in the row of its name.
//
// One UPDATE takes the row and its bell, and one UPDATE releases both. A client that
// finds the row taken blocks in GET_LOCK on the bell, on a connection of its own. The
// server lets it in when the bell is released, or when the holder's connection ends.
// Then the row decides: if the holder's time is not over, the client that has the bell
// waits for that.
//
// A client that takes the row from a holder that does not answer begins a new epoch,
// which has a new bell. A client that gives up without knowing what became of its
// attempt begins a new epoch, too: the attempt then has no effect, whenever it arrives.

#pragma once

#include "engines/mysql/claims.h"

namespace holdfast::mysql {

struct LockClaimState : ClaimState {
  std::uint64_t epoch = 0;   // as it was last seen; it also numbers the bell
  bool no_listener = false;  // no thread can wait for the bell
  bool tried = false;        // to take the row without waiting for the bell
  bool was_free = false;     // when the row was last read
  int waits = 0;
  bool showing = false;     // observers may see it
  std::uint64_t shown = 0;  // the row that observers see; zero means none
  Clock::time_point shown_at;

  // Adds the values that kTake writes into the row.
  void add_to(Args& args, bool new_epoch) const;
};

class LockResource final : public ClaimsResource<LockClaimState> {
 public:
  using ClaimsResource::ClaimsResource;

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> renew(const engine::Claim& claim, engine::Deadline until) override;

 private:
  // This is how the row of another owner was found.
  struct RowState {
    bool again = false;  // it is missing or has changed: try again
    bool owned = true;   // it was not released
    std::chrono::microseconds left = std::chrono::hours(1);  // if known

    bool is_free() const noexcept { return left.count() <= 0; }
    bool is_abandoned() const noexcept { return owned && is_free(); }
  };

  Result<bool> take(LockClaimState& state, bool new_epoch, engine::Deadline until);
  // Takes the row, or returns how it was found.
  Result<RowState> take_or_read(LockClaimState& state, bool can_wait,
                                engine::Deadline until);
  Result<RowState> read(LockClaimState& state, engine::Deadline until);

  // Returns false if the row must be read once more before the caller waits.
  Result<bool> arm(LockClaimState& state, const engine::Waker& waker,
                   engine::Deadline until);
  void wait_for_bell(LockClaimState& state, const engine::Waker& waker);
  void take_outcome(LockClaimState& state);
  Result<void> stop_waiting(LockClaimState& state, engine::Deadline until);
  std::chrono::nanoseconds pause(const LockClaimState& state,
                                 const RowState& found) const;
  Result<void> show(LockClaimState& state, engine::Deadline until);
  Result<void> hide(LockClaimState& state, engine::Deadline until);

  Result<void> give_up(LockClaimState& state, engine::Deadline until) override;

  std::string bell_of(const LockClaimState& state, bool new_epoch = false) const;
};

}  // namespace holdfast::mysql

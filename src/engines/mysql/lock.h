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

#include "engines/mysql/bell.h"
#include "engines/mysql/claims.h"
#include "engines/mysql/holder.h"

namespace holdfast::mysql {

// This is what is written into the row of a mutex.
struct RowClaim {
  std::string owner;  // empty means that the row was never asked for
  Holder holder;
  std::uint32_t tokens = 1;
  std::chrono::microseconds lease{};
  std::uint64_t id = 0;     // of the row
  std::uint64_t epoch = 0;  // as it was last seen; it also numbers the bell

  void add_to(Args& args, bool new_epoch) const;
};

// This is what the client knows of one claim on a mutex.
struct LockClaimState {
  RowClaim claim;
  bool in_doubt = false;  // an attempt was not answered
  bool granted = false;
  FencingToken token;
  Clock::time_point granted_at;
  Bell bell;

  std::shared_ptr<BellWait> wait;
  int failures = 0;
  bool no_listener = false;  // no thread can wait for the bell
  std::shared_ptr<const Poller::Watch> watch;
  bool was_free = false;  // when the row was last read
  int waits = 0;
  bool showing = false;     // observers may see it
  std::uint64_t shown = 0;  // the row that observers see; zero means none
  Clock::time_point shown_at;
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
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

 private:
  // How the row of another owner was found.
  struct RowState {
    bool again = false;  // it is missing or has changed: try again
    bool owned = true;   // it was not released
    std::chrono::microseconds left = std::chrono::hours(1);  // if known

    bool is_free() const noexcept { return left.count() <= 0; }
    bool is_abandoned() const noexcept { return owned && is_free(); }
  };

  Result<void> prepare(LockClaimState& state, const engine::Claim& claim,
                       engine::Deadline until);
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
  Result<void> release(LockClaimState& state, engine::Deadline until);
  engine::Granted granted(const LockClaimState& state, const engine::Claim& claim,
                          Clock::time_point asked) const;

  std::string bell_of(const RowClaim& claim, bool new_epoch = false) const {
    return backend().names().bell_of(claim.id, claim.epoch + (new_epoch ? 1 : 0));
  }
};

}  // namespace holdfast::mysql

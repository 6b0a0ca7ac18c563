// engines/mysql/lock.h - a mutex, in the row of its name.
//
// Taking it is one UPDATE that also takes its bell, giving it back one that also
// releases it. Whoever finds it taken blocks in GET_LOCK on the bell, on a connection
// of its own; a release rings, and so does the end of the holder's connection. Then the
// row decides: if its time is not over, who has won the bell waits for that. Whoever
// takes it from one who does not answer begins a new epoch, with a new bell; so does
// whoever gives up and cannot know what has become of an attempt: then that is too
// late, whenever it arrives.

#pragma once

#include "engines/kit/claim_table.h"
#include "engines/mysql/holder.h"
#include "engines/mysql/resource.h"

namespace holdfast::mysql {

class LockResource final : public MysqlResource {
 public:
  LockResource(std::shared_ptr<Backend> backend, const engine::Address& address)
      : MysqlResource(std::move(backend), address) {}

  Result<engine::Verdict> attempt(const engine::Claim& claim,
                                  const engine::Waker& waker,
                                  engine::Deadline until) override;
  Result<engine::Granted> amend(const engine::Claim& held, const engine::Claim& wanted,
                                engine::Deadline until) override;
  Result<void> drop(const engine::Claim& claim, engine::Deadline until) override;
  Result<void> renew(const engine::Claim& claim, engine::Deadline until) override;
  Result<std::vector<engine::Entry>> survey(std::size_t limit,
                                            engine::Deadline until) override;
  Result<void> evict(std::string_view owner, engine::Deadline until) override;

 private:
  // What is written into the row.
  struct Taking {
    std::string owner;  // empty: never attempted
    Holder holder;
    std::uint32_t tokens = 1;
    std::chrono::microseconds lease{};
    std::uint64_t id = 0;     // of the row
    std::uint64_t epoch = 0;  // as it was seen; the number of the bell

    // `more`: 1 for a new epoch.
    void add_to(Args& args, std::uint64_t more = 0) const;
  };

  // What is known here of one claim.
  struct ClaimState {
    Taking taking;
    bool doubtful = false;  // an attempt was not answered
    bool granted = false;
    FencingToken token;
    Clock::time_point asked;           // when it was granted
    std::shared_ptr<Connection> bell;  // which has it

    std::shared_ptr<BellWait> wait;
    int failures = 0;
    bool no_listener = false;  // the bell could not be waited for
    std::shared_ptr<const Poller::Watch> watch;
    bool free_before = false;  // when it was looked at last
    int looks = 0;
    bool showing = false;  // observers may see it
    std::uint64_t shown = 0;
    Clock::time_point shown_at;
  };

  // What `renew` sees of a granted claim, whatever else is done with it meanwhile.
  struct Held {
    std::uint64_t id;
    std::string owner;
    std::shared_ptr<Connection> bell;
  };

  // How it stands with a row that we did not get.
  struct RowState {
    bool again = false;  // it was not there, or not as we thought: try again
    bool owned = true;
    std::chrono::microseconds left = std::chrono::hours(1);  // of who has it, if known

    bool is_free() const noexcept { return left.count() <= 0; }
    bool is_abandoned() const noexcept { return owned && is_free(); }
  };

  Result<void> prepare(ClaimState& state, const engine::Claim& claim,
                       engine::Deadline until);
  Result<bool> take(ClaimState& state, std::uint64_t more, engine::Deadline until);
  // Takes it, or says how it stands.
  Result<RowState> try_to_take(ClaimState& state, bool can_wait,
                               engine::Deadline until);
  Result<RowState> look(ClaimState& state, engine::Deadline until);

  void take_outcome(ClaimState& state);
  // Whether it can be waited for as things are; false: look once more.
  Result<bool> arm(ClaimState& state, const engine::Waker& waker,
                   engine::Deadline until);
  void start_waiting(ClaimState& state, const engine::Waker& waker);
  std::chrono::nanoseconds pause(const ClaimState& state,
                                 const RowState& row_state) const;
  Result<void> show(ClaimState& state, engine::Deadline until);
  Result<void> hide(ClaimState& state, engine::Deadline until);
  Result<void> stop_waiting(ClaimState& state, engine::Deadline until);

  Result<void> give_up(ClaimState& state, engine::Deadline until);
  // Lets go of a bell that is not released with the row.
  void release_bell(ClaimState& state, engine::Deadline until);
  engine::Granted granted(const ClaimState& state, const engine::Claim& claim,
                          Clock::time_point asked) const;

  std::string bell_of(const Taking& taking, std::uint64_t more = 0) const {
    return backend().bell_of(taking.id, taking.epoch + more);
  }

  kit::ClaimTable<ClaimState, std::shared_ptr<const Held>> claims_;
};

}  // namespace holdfast::mysql

// engines/mysql/queue.h - places in line: a row and a bell for each.
//
// Who comes writes a row and takes a bell of its own, in one statement. Then it reads
// the line and asks the rule that all engines share. If its turn has come, it writes
// that, provided that nobody was let in since it looked; if not, it waits for the bell
// of whoever must leave first. Where any of several may be the first to leave, and
// where there are no bells, the poller looks.

#pragma once

#include <optional>
#include <vector>

#include "engines/kit/claim_table.h"
#include "engines/mysql/holder.h"
#include "engines/mysql/resource.h"
#include "holdfast/engine/admission.h"

namespace holdfast::mysql {

class QueueResource final : public MysqlResource {
 public:
  QueueResource(std::shared_ptr<Backend> backend, const engine::Address& address)
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
  // Of one who waits, unless written again.
  static constexpr std::chrono::microseconds kWaiterLease = std::chrono::seconds(10);
  // Of one whose bell was lost: longer than the longest time until it is written again.
  static constexpr std::chrono::microseconds kLostBellLease = std::chrono::seconds(6);

  // What is known here of one claim.
  struct ClaimState {
    std::string owner;  // empty: never attempted
    Holder holder;
    std::uint64_t resource = 0;
    std::uint64_t id = 0;   // zero: not in line
    bool doubtful = false;  // whether it is, was not answered
    bool granted = false;
    FencingToken token;
    std::chrono::microseconds lease{};
    Clock::time_point asked;           // when it was granted
    Clock::time_point kept;            // when it was last written
    std::shared_ptr<Connection> bell;  // which has our own
    std::shared_ptr<BellWait> wait;
    std::uint64_t ahead = 0;  // whose bell is waited for
    bool rung = false;        // it was heard
    int failures = 0;
    std::uint64_t ignored = 0;  // whose bell says nothing
    std::shared_ptr<const Poller::Watch> watch;
  };

  // What `renew` sees of a granted claim, whatever else is done with it meanwhile.
  struct Held {
    std::uint64_t resource;
    std::uint64_t id;
    std::string owner;
    std::shared_ptr<Connection> bell;
  };

  struct QueuedClaim {
    std::uint64_t id;
    std::string owner;
    engine::QueueEntry entry;
    bool bell;
    std::uint64_t token;
    std::chrono::microseconds left;
  };
  struct QueueSnapshot {
    std::uint64_t fence = 0;
    std::uint64_t clock = 0;  // the server's, in microseconds
    std::uint64_t version = 0;
    std::optional<std::int64_t> value;
    std::vector<QueuedClaim> claims;  // whose time is not over, in order
    std::size_t own = 0;              // which of them we are; past the end: none
    bool stale = false;               // there are others, whose time is
    bool is_in() const noexcept { return own < claims.size(); }
  };

  // One round of an attempt. Nothing: another one is needed.
  using Step = std::optional<engine::Verdict>;
  Result<Step> step(ClaimState& state, const engine::Claim& claim,
                    const engine::Waker& waker, engine::Deadline until);

  Result<void> prepare(ClaimState& state, const engine::Claim& claim,
                       engine::Deadline until);
  Result<void> enter(ClaimState& state, const engine::Claim& claim,
                     engine::Deadline until);
  Result<bool> enter_by(const Sql& sql, ClaimState& state, const engine::Claim& claim,
                        engine::Deadline until);
  Result<QueueSnapshot> look(ClaimState& state, engine::Deadline until);
  Result<std::optional<std::uint32_t>> capacity(const QueueSnapshot& queue,
                                                const engine::Claim& claim,
                                                engine::Deadline until);
  bool admits(const QueueSnapshot& queue, std::uint32_t capacity) const;
  Result<void> grant(ClaimState& state, const QueueSnapshot& queue,
                     engine::Deadline until);
  Result<void> accept(ClaimState& state, const QueuedClaim& own,
                      engine::Deadline until);

  const QueuedClaim* obstacle(const QueueSnapshot& queue) const noexcept;
  // Whether the place ahead was given less time, since its bell says nothing.
  Result<bool> evict_dead_waiter(ClaimState& state, const QueuedClaim* ahead,
                                 engine::Deadline until);
  Result<bool> arm(ClaimState& state, const QueuedClaim* ahead,
                   const engine::Waker& waker, engine::Deadline until);
  void start_waiting(ClaimState& state, const QueuedClaim& ahead,
                     const engine::Waker& waker);
  void take_outcome(ClaimState& state);
  static void wait_no_more(ClaimState& state);
  Result<void> keep(ClaimState& state, engine::Deadline until);
  void start_again(ClaimState& state, engine::Deadline until);

  Result<void> leave(ClaimState& state, engine::Deadline until);
  void release_bell(ClaimState& state, engine::Deadline until);
  engine::Granted granted(const ClaimState& state, Clock::time_point asked) const;

  void publish(engine::Ticket ticket, const ClaimState& state);

  kit::ClaimTable<ClaimState, std::shared_ptr<const Held>> claims_;
};

}  // namespace holdfast::mysql

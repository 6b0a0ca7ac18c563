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
  static constexpr std::chrono::microseconds kPlaceLease = std::chrono::seconds(10);
  // Of one whose bell was lost: longer than the longest time until it is written again.
  static constexpr std::chrono::microseconds kLostBellLease = std::chrono::seconds(6);

  // What is known here of one claim.
  struct Place {
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
    std::shared_ptr<Wait> wait;
    std::uint64_t ahead = 0;  // whose bell is waited for
    bool rung = false;        // it was heard
    int failures = 0;
    std::uint64_t mute = 0;  // whose bell says nothing
    std::shared_ptr<const Poller::Watch> watch;
  };

  // What `renew` sees of a granted claim, whatever else is done with it meanwhile.
  struct Held {
    std::uint64_t resource;
    std::uint64_t id;
    std::string owner;
    std::shared_ptr<Connection> bell;
  };

  struct Member {
    std::uint64_t id;
    std::string owner;
    engine::QueueEntry place;
    bool bell;
    std::uint64_t token;
    std::chrono::microseconds left;
  };
  struct Line {
    std::uint64_t fence = 0;
    std::uint64_t clock = 0;  // the server's, in microseconds
    std::uint64_t version = 0;
    std::optional<std::int64_t> value;
    std::vector<Member> members;  // whose time is not over, in order
    std::size_t own = 0;          // which of them we are; past the end: none
    bool stale = false;           // there are others, whose time is
    bool is_in() const noexcept { return own < members.size(); }
  };

  // One round of an attempt. Nothing: another one is needed.
  using Step = std::optional<engine::Verdict>;
  Result<Step> step(Place& place, const engine::Claim& claim,
                    const engine::Waker& waker, engine::Deadline until);

  Result<void> prepare(Place& place, const engine::Claim& claim,
                       engine::Deadline until);
  Result<void> enter(Place& place, const engine::Claim& claim, engine::Deadline until);
  Result<bool> enter_by(const Sql& sql, Place& place, const engine::Claim& claim,
                        engine::Deadline until);
  Result<Line> look(Place& place, engine::Deadline until);
  Result<std::optional<std::uint32_t>> capacity(const Line& line,
                                                const engine::Claim& claim,
                                                engine::Deadline until);
  bool admits(const Line& line, std::uint32_t capacity) const;
  Result<void> let_in(Place& place, const Line& line, engine::Deadline until);
  Result<void> accept(Place& place, const Member& own, engine::Deadline until);

  const Member* obstacle(const Line& line) const noexcept;
  // Whether the place ahead was given less time, since its bell says nothing.
  Result<bool> hurry(Place& place, const Member* ahead, engine::Deadline until);
  Result<bool> arm(Place& place, const Member* ahead, const engine::Waker& waker,
                   engine::Deadline until);
  void listen(Place& place, const Member& ahead, const engine::Waker& waker);
  void hear(Place& place);
  static void wait_no_more(Place& place);
  Result<void> keep(Place& place, engine::Deadline until);
  void start_again(Place& place, engine::Deadline until);

  Result<void> leave(Place& place, engine::Deadline until);
  void unring(Place& place, engine::Deadline until);
  engine::Granted granted(const Place& place, Clock::time_point asked) const;

  void publish(engine::Ticket ticket, const Place& place);

  kit::ClaimTable<Place, std::shared_ptr<const Held>> claims_;
};

}  // namespace holdfast::mysql

// engines/local/member.h - one session's presence in a segment: its slot, its cells,
// and the claims it waits or holds by queue.
//
// Everything that the session makes keeps its member; the last one to go ends it. In a
// child of fork() a member is a stranger's: nothing of it may be touched.

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engines/local/segment.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

class Witness;

// Safe for concurrent use.
class Member {
 public:
  static Result<std::shared_ptr<Member>> join(const std::shared_ptr<Segment>& segment,
                                              const engine::SessionOptions& options);
  Member(std::shared_ptr<Segment> segment, SessionId me, engine::Waker alarm);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  Segment& segment() const noexcept { return *segment_; }
  const std::shared_ptr<Segment>& shared_segment() const noexcept { return segment_; }
  SessionId me() const noexcept { return me_; }
  Slot& slot() const noexcept { return slot_; }

  // Whether the slot is still ours. A session that was ended from outside while its
  // process lives holds nothing, and must not touch what it had.
  bool present() const noexcept { return slot().id.load() == me_; }
  Failure why_absent() const;

  // Ends the session if the file has no name any more: newcomers do not see its claims.
  void notice_deletion() noexcept;

  // Cells from a small stock of our own, so that queueing needs no common guard.
  Result<Unit> take_cell() HOLDFAST_EXCLUDES(mutex_);
  void give_cell(Unit cell) noexcept HOLDFAST_EXCLUDES(mutex_);

  Result<Unit> take_signal();
  void give_block(Unit block) noexcept;  // a signal or a text; 0: nothing

  // A block with this text, at most kMaxPayload bytes of it; 0 for none.
  Result<Unit> take_text(std::string_view text);

  // Our claims that have a cell. Noted before the claim is in the segment: there may be
  // no memory for it.
  void note(std::uint64_t ticket, Unit cell) HOLDFAST_EXCLUDES(mutex_);
  // `waker` is rung by the witness thread if the claim is granted and its own bell was
  // not heard. REQUIRES: noted
  void await(std::uint64_t ticket, engine::Waker waker) noexcept
      HOLDFAST_EXCLUDES(mutex_);
  Unit cell_of(std::uint64_t ticket) HOLDFAST_EXCLUDES(mutex_);
  void forget(std::uint64_t ticket) noexcept HOLDFAST_EXCLUDES(mutex_);

  // Watches whose waker is not one of our own signals are rung by the witness thread.
  void note_watch(Unit cell, engine::Waker waker) HOLDFAST_EXCLUDES(mutex_);
  void forget_watch(Unit cell) noexcept HOLDFAST_EXCLUDES(mutex_);

  // The last changes of registers by ticket. They need not be in the segment: only this
  // session repeats its tickets, and it never loses a reply.
  void note_change(engine::Ticket ticket, const engine::Exchanged& outcome)
      HOLDFAST_EXCLUDES(mutex_);
  std::optional<engine::Exchanged> change_of(engine::Ticket ticket)
      HOLDFAST_EXCLUDES(mutex_);

  // For the witness thread. `ring_granted` says whether any claim still waits.
  bool ring_granted() noexcept HOLDFAST_EXCLUDES(mutex_);
  void ring_all() noexcept HOLDFAST_EXCLUDES(mutex_);
  void ring_watches() noexcept HOLDFAST_EXCLUDES(mutex_);
  void ring_alarm() const noexcept;

  // See Session::witness().
  int ward() noexcept HOLDFAST_EXCLUDES(mutex_);

 private:
  Result<Unit> take_block(Shape shape);

  struct Queued {
    Unit cell;
    engine::Waker waker;  // null unless it waits
  };

  struct Change {
    engine::Ticket ticket;
    engine::Exchanged outcome;
  };

  std::shared_ptr<Segment> segment_;
  const SessionId me_;
  Slot& slot_;
  const engine::Waker alarm_;
  const std::uint64_t epoch_;

  base::Mutex mutex_;
  std::vector<Unit> stock_ HOLDFAST_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, Queued> queued_ HOLDFAST_GUARDED_BY(mutex_);
  std::unordered_map<Unit, engine::Waker> watches_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<Change> changes_ HOLDFAST_GUARDED_BY(mutex_);
  int ward_ HOLDFAST_GUARDED_BY(mutex_) = -1;

  std::unique_ptr<Witness> witness_;
};

}  // namespace holdfast::local

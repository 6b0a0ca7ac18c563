// SPDX-License-Identifier: Apache-2.0

// engines/local/process_slot.h - a session's slot in a segment, with its cells and
// its claims that have a cell.
//
// Everything that the session creates keeps this object alive; the last user ends the
// session. In a child of fork() the slot belongs to the parent, and nothing of it may
// be touched.

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "engines/local/memory/segment.h"
#include "engines/local/queued_claims.h"
#include "holdfast/engine/session.h"

namespace holdfast::local {

class LivenessThread;

// The class is safe for concurrent use.
class ProcessSlot {
 public:
  static Result<std::shared_ptr<ProcessSlot>> join(
      const std::shared_ptr<Segment>& segment, const engine::SessionOptions& options);
  ProcessSlot(std::shared_ptr<Segment> segment, SessionId me, engine::Waker alarm);
  ~ProcessSlot();
  ProcessSlot(const ProcessSlot&) = delete;
  ProcessSlot& operator=(const ProcessSlot&) = delete;

  Segment& segment() const noexcept { return *segment_; }
  const std::shared_ptr<Segment>& shared_segment() const noexcept { return segment_; }
  SessionId me() const noexcept { return me_; }
  Slot& slot() const noexcept { return slot_; }

  // Returns whether the slot still belongs to this session. A session that was ended
  // from outside while its process lives holds nothing, and must not touch what it had.
  bool present() const noexcept { return slot().id.load() == me_; }
  Failure why_absent() const;

  // Returns whether another process is taking the claims of this session away: it is
  // absent only when that is done.
  bool is_ending() const noexcept { return !present() || slot().gone.load() != 0; }

  // Ends the session if the file has been deleted, because new sessions cannot see its
  // claims.
  void notice_deletion() noexcept;

  // Takes one of the session's spare cells, so that queueing rarely needs the header's
  // guard.
  Result<BlockIndex> take_cell() HOLDFAST_EXCLUDES(mutex_);
  void give_cell(BlockIndex cell) noexcept HOLDFAST_EXCLUDES(mutex_);

  Result<BlockIndex> take_signal();
  void give_block(BlockIndex block) noexcept;  // a signal or a text; 0 is ignored

  // Returns a block with at most kMaxPayload bytes of this text; 0 for an empty text.
  Result<BlockIndex> take_text(std::string_view text);

  // These are our claims that have a cell. A claim is noted before it is in the
  // segment, because noting needs memory and may fail.
  void note(std::uint64_t ticket, BlockIndex cell) HOLDFAST_EXCLUDES(mutex_);
  // The liveness thread rings `waker` if the claim is granted and its own signal was
  // not rung, and if the lock waits for a head that does not come. REQUIRES: noted
  void await(std::uint64_t ticket, engine::Waker waker, BlockIndex record) noexcept
      HOLDFAST_EXCLUDES(mutex_);
  BlockIndex cell_of(std::uint64_t ticket) HOLDFAST_EXCLUDES(mutex_);
  void forget(std::uint64_t ticket) noexcept HOLDFAST_EXCLUDES(mutex_);

  // The liveness thread rings the watches whose waker is not one of the segment's
  // signals.
  void note_watch(BlockIndex cell, engine::Waker waker) HOLDFAST_EXCLUDES(mutex_);
  void forget_watch(BlockIndex cell) noexcept HOLDFAST_EXCLUDES(mutex_);

  // These are the last register changes by ticket. They need not be in the segment,
  // because only this session retries its tickets, and it never loses a reply.
  void note_change(engine::Ticket ticket, const engine::Exchanged& outcome)
      HOLDFAST_EXCLUDES(mutex_);
  std::optional<engine::Exchanged> change_of(engine::Ticket ticket)
      HOLDFAST_EXCLUDES(mutex_);

  // These are for the liveness thread. `ring_ready` looks at the claim that the slot
  // names as ready, and `look_at_claims` at some of those that wait or at all: it rings
  // those that wait no longer, and those that have to look after their lock.
  enum class ClaimSubset : bool { some, all };
  void ring_ready() noexcept HOLDFAST_EXCLUDES(mutex_);
  void look_at_claims(ClaimSubset subset) noexcept HOLDFAST_EXCLUDES(mutex_);
  bool any_waits() noexcept HOLDFAST_EXCLUDES(mutex_);
  void ring_all() noexcept HOLDFAST_EXCLUDES(mutex_);
  void ring_watches() noexcept HOLDFAST_EXCLUDES(mutex_);
  void ring_alarm() const noexcept;

  // Session::liveness_fd() explains this.
  int liveness_fd() noexcept HOLDFAST_EXCLUDES(mutex_);

 private:
  Result<BlockIndex> take_block(Shape shape);
  bool still_waits(const QueuedClaims::Queued& queued) const noexcept;

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
  std::vector<BlockIndex> spare_cells_ HOLDFAST_GUARDED_BY(mutex_);
  QueuedClaims queued_ HOLDFAST_GUARDED_BY(mutex_);
  std::unordered_map<BlockIndex, engine::Waker> watches_ HOLDFAST_GUARDED_BY(mutex_);
  std::deque<Change> changes_ HOLDFAST_GUARDED_BY(mutex_);
  int liveness_fd_ HOLDFAST_GUARDED_BY(mutex_) = -1;

  std::unique_ptr<LivenessThread> liveness_thread_;
};

}  // namespace holdfast::local

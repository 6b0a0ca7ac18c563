// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/guard.h - lets one process at a time into an update, and
// recovers if it dies there.
//
// A guard word holds the id of the session that is inside. If that session's process
// has died, the next session takes the guard over and learns that it must repair the
// data first. Guards are held for less than a microsecond; a process that is stopped
// inside one makes the others wait (docs/engines/local.md).
//
// The header's guard is taken before a record's guard, never the other way round.

#pragma once

#include "engines/local/memory/segment.h"

namespace holdfast::local {

// Returns whether the slot's liveness thread has ended. Other threads of its process
// may still have to leave the kernel.
bool liveness_thread_ended(const Segment& segment, SlotIndex slot) noexcept;

// Returns whether the process behind the slot has ended, so that it cannot be inside a
// guard or act under its claims. If its end cannot be seen, as in another PID
// namespace, or takes longer than two seconds, the end of the liveness thread counts.
bool process_ended(const Segment& segment, SlotIndex slot,
                   std::chrono::milliseconds limit = {}) noexcept;

// Returns the same for one session, even when its slot belongs to another session by
// now.
bool session_ended(const Segment& segment, SessionId session) noexcept;

class [[nodiscard]] Guard {
 public:
  // Enters only if no session is inside.
  Guard(Word& word, SessionId me) noexcept;

  // Waits until the deadline at most, but at least a tenth of a second and at most two
  // seconds, for the session inside to leave.
  Guard(const Segment& segment, Word& word, SessionId me,
        engine::Deadline until) noexcept;
  ~Guard() { leave(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  bool entered() const noexcept { return entered_; }
  // The data must be repaired before use.
  bool inherited() const noexcept { return inherited_; }
  void leave() noexcept;

 private:
  void wait_for_turn(const Segment& segment, SessionId me,
                     engine::Deadline until) noexcept;

  Word& word_;
  bool entered_ = false;
  bool inherited_ = false;
};

// Returns the slot of the session that is inside, or 0.
SlotIndex slot_inside(const Word& guard) noexcept;

// Returns the failure for a guard that could not be entered in time.
Failure stuck(const Segment& segment, const Word& guard);

}  // namespace holdfast::local

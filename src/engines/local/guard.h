// engines/local/guard.h - one process at a time inside an update, and what if it dies.
//
// A guard word holds the session that is inside. If that session's process
// has died, the next one takes the guard over and is told so: it repairs first. Guards
// are held for less than a microsecond; a process that is stopped inside one makes the
// others wait (docs/engines/local.md).
//
// Order: the header's guard before a record's, never the other way round.

#pragma once

#include "engines/local/segment.h"

namespace holdfast::local {

// Whether the witness of the slot has ended. Other threads of its process may still
// have to leave the kernel.
bool witness_ended(const Segment& segment, SlotIndex slot) noexcept;

// Whether the process behind the slot has ended, so that it cannot be inside a guard,
// nor do anything under its claims. Where its end cannot be seen, as in another PID
// namespace, and when it takes longer than two seconds, the end of the witness counts.
bool process_ended(const Segment& segment, SlotIndex slot,
                   std::chrono::milliseconds patience = {}) noexcept;

// The same of one session, also when its slot is another's by now.
bool session_ended(const Segment& segment, SessionId session) noexcept;

class [[nodiscard]] Guard {
 public:
  // Enters only if nobody is inside.
  Guard(Word& word, SessionId me) noexcept;

  // Waits at most until `deadline`, but at least a tenth of a second and at most two
  // seconds for whoever is inside to come out.
  Guard(const Segment& segment, Word& word, SessionId me,
        engine::Deadline deadline) noexcept;
  ~Guard() { leave(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  bool entered() const noexcept { return entered_; }
  bool inherited() const noexcept { return inherited_; }  // repair before use
  void leave() noexcept;

 private:
  void wait_for_turn(const Segment& segment, SessionId me,
                     engine::Deadline deadline) noexcept;

  Word& word_;
  bool entered_ = false;
  bool inherited_ = false;
};

// Who is inside, or 0.
SlotIndex inside(const Word& guard) noexcept;

// What a caller says when a guard was not to be had.
Failure stuck(const Segment& segment, const Word& guard);

}  // namespace holdfast::local

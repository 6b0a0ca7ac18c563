// engines/local/visit.h - the guarded access to one record, with the right to change
// it.
//
//   Visit visit(segment, spot, me, deadline);
//   if (!visit.inside()) ...            // stuck, or the record has another name by now
//   visit.append(cell);
//   visit.admit(cell);                  // grants the claims that the rule admits
//   ...                                 // the destructor wakes the granted waiters
//
// Every change is a single store that leaves a complete state. If a process dies
// inside, the next one takes the guard over and continues from there.

#pragma once

#include <array>

#include "engines/local/guard.h"
#include "engines/local/names.h"
#include "holdfast/engine/claim.h"

namespace holdfast::local {

class Visit {
 public:
  Visit(Segment& segment, Spot spot, SessionId me, engine::Deadline deadline) noexcept;
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  bool inside() const noexcept { return inside_; }
  bool moved() const noexcept { return moved_; }  // The name must be looked up again.
  Record& record() const noexcept { return record_; }

  // Returns whether `kind` may use this name now; an unused name becomes that kind.
  bool become(engine::Kind kind) noexcept;

  // Returns the plain owner, the word's <session, ticket>, or 0.
  std::uint64_t owner() const noexcept;
  void clear_owner() noexcept;

  void append(Unit cell) noexcept;
  void prepend(Unit cell) noexcept;  // REQUIRES: granted
  bool remove(Unit cell) noexcept;   // Returns whether it was there.

  // The same for a claim that does not wait: unless it is granted, it comes and goes
  // within one visit. No watch is rung for that, since nothing has changed; a quorum's
  // waiter that tries this node would wake itself by its own tries.
  void append_unseen(Unit cell) noexcept;
  void remove_unseen(Unit cell) noexcept;

  // Ends the claims that are over and grants those that the rule admits, in order.
  // `self` is granted without being rung.
  void admit(Unit self = 0) noexcept;

  // Takes a claim from a living session, because it has expired or was evicted.
  void end(Unit cell) noexcept;

  // Removes the claims and watches of a session that has ended.
  void remove_all_of(SlotIndex ended) noexcept;
  void changed() noexcept { changed_ = true; }
  void alarm(SlotIndex slot) noexcept;  // tells that session that a claim of it is gone

  ClaimCell& claim(Unit cell) const noexcept { return segment_.at<ClaimCell>(cell); }
  std::uint32_t capacity_for(const ClaimCell& claim) const noexcept;
  // It wants more permits than there are.
  bool is_in_vain(const ClaimCell& claim) const noexcept;

 private:
  void admit_in_order(Unit self);  // may throw std::bad_alloc between two grants
  void raise() noexcept;
  void lower() noexcept;
  void unlink(Unit before, Unit cell) noexcept;
  bool over(const ClaimCell& claim) noexcept;
  void grant(Unit cell, Unit self) noexcept;
  std::int64_t now() noexcept;

  struct Bell {
    Unit signal;
    SlotIndex slot;
    std::uint32_t what;
  };
  void ring(const Bell& bell) const noexcept;
  void ring_later(const Bell& bell) noexcept;

  Segment& segment_;
  Record& record_;
  Guard guard_;
  bool inside_ = false;
  bool moved_ = false;
  bool changed_ = false;
  std::int64_t now_ = 0;
  std::array<Bell, 8> bells_{};
  std::size_t bell_count_ = 0;
};

// Returns the wall clock in seconds from a coarse clock, which is cheap and a few
// milliseconds late.
std::uint32_t wall_seconds() noexcept;

}  // namespace holdfast::local

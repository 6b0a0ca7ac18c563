// engines/local/visit.h - being inside one record, with the right to change it.
//
//   Visit visit(segment, spot, me, deadline);
//   if (!visit.inside()) ...            // stuck, or the record has another name by now
//   visit.append(cell);
//   visit.admit(cell);                  // grants whom the rule lets in
//   ...                                 // leaving rings those who were granted
//
// Every change is a single store that leaves a whole state; a visitor who dies leaves
// the guard to the next one, who continues from there.

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
  bool moved() const noexcept { return moved_; }  // look the name up again
  Record& record() const noexcept { return record_; }

  // Whether `kind` may use this name now; if nobody does, it becomes that kind.
  bool become(engine::Kind kind) noexcept;

  // The plain owner: the word's <session, ticket>, or 0.
  std::uint64_t owner() const noexcept;
  void clear_owner() noexcept;

  void append(Unit cell) noexcept;
  void prepend(Unit cell) noexcept;  // REQUIRES: granted
  bool remove(Unit cell) noexcept;   // whether it was there

  // The same for a claim that does not wait: unless it is granted, it comes and goes
  // within one visit. No watch is rung for that, since nothing has changed; a quorum's
  // waiter that tries this node would wake itself by its own tries.
  void append_unseen(Unit cell) noexcept;
  void remove_unseen(Unit cell) noexcept;

  // Ends what is over and grants what the rule admits, in order. `self` is granted
  // without being rung.
  void admit(Unit self = 0) noexcept;

  // Takes a claim from a session that is alive: expired, or evicted.
  void end(Unit cell) noexcept;

  // The claims and watches of a session that has ended.
  void remove_all_of(SlotIndex ended) noexcept;
  void changed() noexcept { changed_ = true; }
  void alarm(SlotIndex slot) noexcept;  // a claim of that session is gone

  ClaimCell& claim(Unit cell) const noexcept { return segment_.at<ClaimCell>(cell); }
  std::uint32_t capacity_for(const ClaimCell& claim) const noexcept;
  bool is_in_vain(const ClaimCell& claim) const noexcept;  // wants more than there is

 private:
  void admit_in_order(Unit self);  // throws std::bad_alloc, between two grants
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

// Wall clock in seconds; a few milliseconds coarse, and cheap for that.
std::uint32_t wall_seconds() noexcept;

}  // namespace holdfast::local

// SPDX-License-Identifier: Apache-2.0

// engines/local/record_guard.h - exclusive access to one record, to read and change it.
//
//   RecordGuard guard(segment, ref, me, until);
//   if (!guard.entered()) ...           // stuck, or the record has another name by now
//   guard.append(cell);
//   guard.admit(cell);                  // grants the claims that the rule admits
//   ...                                 // the destructor wakes the granted waiters
//
// Every change is a single store that leaves a complete state. If a process dies
// inside, the next one takes the guard over and continues from there.

#pragma once

#include <array>

#include "engines/local/memory/guard.h"
#include "engines/local/names.h"
#include "holdfast/engine/claim.h"

namespace holdfast::local {

class RecordGuard {
 public:
  RecordGuard(Segment& segment, RecordRef ref, SessionId me,
              engine::Deadline until) noexcept;
  ~RecordGuard();
  RecordGuard(const RecordGuard&) = delete;
  RecordGuard& operator=(const RecordGuard&) = delete;

  bool entered() const noexcept { return entered_; }
  bool moved() const noexcept { return moved_; }  // The name must be looked up again.
  Record& record() const noexcept { return record_; }

  // Returns whether `kind` may use this name now; an unused name becomes that kind.
  bool become(engine::Kind kind) noexcept;

  // Returns the plain owner, the word's <session, ticket>, or 0.
  std::uint64_t owner() const noexcept;
  void clear_owner() noexcept;

  void append(BlockIndex cell) noexcept;
  void prepend(BlockIndex cell) noexcept;  // REQUIRES: granted
  bool remove(BlockIndex cell) noexcept;   // Returns whether it was there.

  // Makes `step` with a claim that does not wait: unless it is granted, it comes and
  // goes under one guard. No watch is rung for that, since nothing has changed; a
  // waiter of the quorum engine would wake itself by its own attempts on this node.
  template <class Step>
  void silently(const Step& step) noexcept {
    const bool changed = changed_;
    step();
    changed_ = changed;
  }

  // Keeps the order of arrival strictly until no claim is left.
  void make_strict() noexcept;

  // Ends the claims that are over and grants those that the rule admits, in order.
  // `self` is granted without being rung. A mutex that is free may instead be left to
  // its head, which is rung, and to threads that run (engines/local/barging.h). If
  // `self` is the head and is not granted, it says whether it will look again before it
  // sleeps.
  enum class NextStep : bool { sleep, look_again };
  void admit(BlockIndex self = 0, NextStep next = NextStep::sleep) noexcept;

  // Returns whether the lock is free and any thread may take it.
  bool is_open() const noexcept { return owner() == 0 && opens(); }
  bool is_head(BlockIndex cell) const noexcept { return record_.head.load() == cell; }

  // Appends the claim again if it was passed over.
  void requeue(BlockIndex cell) noexcept;

  // Removes a claim, also one that was passed over. Returns whether it was there.
  bool forget(BlockIndex cell) noexcept;

  // Grants a claim that is not in the list. REQUIRES: is_open()
  void grant_newcomer(BlockIndex cell) noexcept;

  // Takes a claim from a living session, because it has expired or was evicted.
  void end(BlockIndex cell) noexcept;

  // Removes the claims and watches of a session that has ended.
  void remove_all_of(SlotIndex ended) noexcept;
  void changed() noexcept { changed_ = true; }
  void alarm(SlotIndex slot) noexcept;  // tells that session that a claim of it is gone

  ClaimCell& claim(BlockIndex cell) const noexcept {
    return segment_.at<ClaimCell>(cell);
  }
  std::uint32_t capacity_for(const ClaimCell& claim) const noexcept;
  // Returns whether the claim wants more permits than there are.
  bool exceeds_capacity(const ClaimCell& claim) const noexcept;

 private:
  void admit_in_order(BlockIndex self);  // may throw std::bad_alloc between two grants
  void admit_mutex(BlockIndex self, NextStep next) noexcept;
  bool barges() const noexcept;
  bool opens() const noexcept;
  bool has_living_owner() noexcept;
  BlockIndex first_waiting(bool& held) noexcept;
  void note_head(BlockIndex head) noexcept;
  void note_awake(bool awake) noexcept;
  bool withdraw(BlockIndex cell) noexcept;
  void repair() noexcept;
  void close_word() noexcept;
  void leave_word() noexcept;
  void unlink(BlockIndex before, BlockIndex cell) noexcept;
  bool has_ended(const ClaimCell& claim) noexcept;
  void grant(BlockIndex cell, BlockIndex self) noexcept;
  std::int64_t now() noexcept;

  // Wakes a waiter by its signal or, if that is 0, by its session's liveness thread. It
  // is delivered after the guard was left, so that the waiter finds the guard free.
  struct PendingWake {
    BlockIndex signal;
    SlotIndex slot;
    std::uint32_t what;
    BlockIndex claim = 0;  // if it is one that waits no longer
  };
  void deliver(const PendingWake& wake) const noexcept;
  void wake_later(const PendingWake& wake) noexcept;

  Segment& segment_;
  Record& record_;
  Guard guard_;
  bool entered_ = false;
  bool moved_ = false;
  bool changed_ = false;
  std::int64_t now_ = 0;
  std::array<PendingWake, 8> wakes_{};
  std::size_t wake_count_ = 0;
};

// Returns the wall clock in seconds from a coarse clock, which is cheap and a few
// milliseconds late.
std::uint32_t wall_seconds() noexcept;

}  // namespace holdfast::local

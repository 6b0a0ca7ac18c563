// SPDX-License-Identifier: Apache-2.0

#include "engines/local/record_guard.h"

#include <ctime>
#include <limits>
#include <new>
#include <vector>

#include "engines/local/barging.h"
#include "engines/local/memory/liveness_fd.h"
#include "engines/local/memory/wake.h"
#include "holdfast/clock.h"
#include "holdfast/engine/admission.h"

namespace holdfast::local {
namespace {

// A mutex and a fair mutex of one name are one lock.
engine::Kind family(engine::Kind kind) {
  return kind == engine::Kind::fair_mutex ? engine::Kind::mutex : kind;
}

}  // namespace

std::uint32_t wall_seconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<std::uint32_t>(now.tv_sec);
}

RecordGuard::RecordGuard(Segment& segment, RecordRef ref, SessionId me,
                         engine::Deadline until) noexcept
    : segment_(segment),
      record_(segment.at<Record>(ref.record)),
      guard_(segment, record_.guard, me, until) {
  if (!guard_.entered()) return;
  moved_ =
      record_.block.live.load() == 0 || record_.generation.load() != ref.generation;
  if (moved_) return;
  entered_ = true;
  close_word();
  if (guard_.inherited()) repair();
}

RecordGuard::~RecordGuard() {
  if (entered_) {
    if (changed_) {
      for (BlockIndex w = record_.watches.load(); w != 0;
           w = segment_.at<Block>(w).link.load()) {
        const auto& watch = segment_.at<WatchCell>(w);
        wake_later({watch.signal.load(), watch.block.owner.load(), kRingWakers});
      }
    }
    leave_word();
  }
  guard_.leave();
  for (std::size_t i = 0; i < wake_count_; ++i) deliver(wakes_[i]);
}

// From here on the word changes only under this guard.
void RecordGuard::close_word() noexcept {
  const auto word = record_.word.load();
  if ((word & kQueued) == 0) {
    record_.word.fetch_or(kQueued);
  } else if ((word & kOpen) != 0) {
    record_.word.fetch_and(~kOpen);
  }
}

void RecordGuard::leave_word() noexcept {
  if (record_.first.load() == 0) {
    note_head(0);
    if (record_.flags.load() != 0) record_.flags.store(0);
    if (record_.value.load() != 0 || record_.watches.load() != 0) return;
    const auto word = owner();
    record_.word.store(word != 0 ? word : free_word(record_.generation.load()));
  } else if (opens()) {
    record_.word.store(record_.word.load() | kOpen);
  }
}

// The process that was inside has died between two stores.
void RecordGuard::repair() noexcept {
  BlockIndex last = 0;
  for (BlockIndex u = record_.first.load(); u != 0;) {
    const BlockIndex next = claim(u).next.load();
    if (claim(u).phase.load() == ClaimPhase::passed) {
      unlink(last, u);
    } else {
      last = u;
    }
    u = next;
  }
  record_.last.store(last);
  admit();
}

bool RecordGuard::become(engine::Kind kind) noexcept {
  const bool used = record_.first.load() != 0 || record_.value.load() != 0;
  const auto now = owner() != 0 ? engine::Kind::mutex : record_.kind.load();
  if ((used || owner() != 0) && now != family(kind)) return false;
  if (!used) record_.kind.store(family(kind));
  return true;
}

std::uint64_t RecordGuard::owner() const noexcept {
  const auto word = without_flags(record_.word.load());
  return word_slot(word) == 0 ? 0 : word;
}

void RecordGuard::clear_owner() noexcept {
  record_.word.store(free_word(record_.generation.load()) | kQueued);
  changed_ = true;
}

void RecordGuard::append(BlockIndex cell) noexcept {
  claim(cell).next.store(0);
  const BlockIndex last = record_.last.load();
  (last != 0 ? claim(last).next : record_.first).store(cell);
  record_.last.store(cell);
  changed_ = true;
}

void RecordGuard::prepend(BlockIndex cell) noexcept {
  const BlockIndex first = record_.first.load();
  claim(cell).next.store(first);
  record_.first.store(cell);
  if (first == 0) record_.last.store(cell);
  changed_ = true;
}

void RecordGuard::unlink(BlockIndex before, BlockIndex cell) noexcept {
  const BlockIndex next = claim(cell).next.load();
  (before != 0 ? claim(before).next : record_.first).store(next);
  if (next == 0) record_.last.store(before);
  if (is_head(cell)) note_head(0);
  changed_ = true;
}

bool RecordGuard::remove(BlockIndex cell) noexcept {
  BlockIndex before = 0;
  for (BlockIndex u = record_.first.load(); u != 0; u = claim(u).next.load()) {
    if (u == cell) {
      unlink(before, u);
      return true;
    }
    before = u;
  }
  return false;
}

void RecordGuard::remove_all_of(SlotIndex ended) noexcept {
  if (word_slot(owner()) == ended) clear_owner();
  BlockIndex before = 0;
  for (BlockIndex u = record_.first.load(); u != 0;) {
    const BlockIndex next = claim(u).next.load();
    if (claim(u).block.owner.load() == ended) {
      unlink(before, u);
    } else {
      before = u;
    }
    u = next;
  }
  before = 0;
  for (BlockIndex w = record_.watches.load(); w != 0;) {
    const BlockIndex next = segment_.at<Block>(w).link.load();
    if (segment_.at<Block>(w).owner.load() == ended) {
      (before != 0 ? segment_.at<Block>(before).link : record_.watches).store(next);
    } else {
      before = w;
    }
    w = next;
  }
  if (const BlockIndex value = record_.value.load(); value != 0) {
    segment_.at<Block>(value).live.store(1);
    segment_.at<Block>(value).owner.store(0);
  }
  admit();
}

std::int64_t RecordGuard::now() noexcept {
  if (now_ == 0) now_ = Clock::now().time_since_epoch().count();
  return now_;
}

bool RecordGuard::has_ended(const ClaimCell& claim) noexcept {
  if (claims_of_slot_ended(segment_, claim.block.owner.load())) return true;
  if (!has_lock(claim.phase.load())) return exceeds_capacity(claim);
  const auto ends = claim.lease_ends.load();
  return ends != std::numeric_limits<std::int64_t>::max() && ends <= now();
}

bool RecordGuard::exceeds_capacity(const ClaimCell& claim) const noexcept {
  return record_.kind.load() == engine::Kind::semaphore &&
         claim.permits.load() > capacity_for(claim);
}

std::uint32_t RecordGuard::capacity_for(const ClaimCell& claim) const noexcept {
  const bool stored =
      record_.kind.load() == engine::Kind::semaphore && record_.value.load() != 0;
  if (!stored) return claim.capacity.load();
  const auto number = segment_.at<ValueCell>(record_.value.load()).number.load();
  return number < 0 ? 0 : static_cast<std::uint32_t>(number);
}

void RecordGuard::grant(BlockIndex cell, BlockIndex self) noexcept {
  auto& granted = claim(cell);
  granted.token.store(record_.token.fetch_add(1) + 1);
  granted.since.store(wall_seconds());
  // The owner learns from its claim what it was granted under.
  if (record_.kind.load() == engine::Kind::semaphore) {
    granted.capacity.store(capacity_for(granted));
  }
  const auto lease = granted.lease_ms.load();
  granted.lease_ends.store(lease == kUnleased
                               ? std::numeric_limits<std::int64_t>::max()
                               : now() + std::int64_t{lease} * 1'000'000);
  const bool offer = barges() && cell != self;
  if (offer) record_.offered_since.store(boot_time_us());
  granted.phase.store(offer ? ClaimPhase::offered : ClaimPhase::granted);
  changed_ = true;
  if (cell != self) {
    wake_later({granted.signal.load(), granted.block.owner.load(), 0, cell});
  }
}

void RecordGuard::make_strict() noexcept {
  note_head(0);
  const auto flags = record_.flags.load();
  if ((flags & kStrict) == 0) record_.flags.store(flags | kStrict);
}

bool RecordGuard::barges() const noexcept {
  return record_.kind.load() == engine::Kind::mutex &&
         (record_.flags.load() & kStrict) == 0;
}

// In the list of a mutex, a granted claim comes first.
bool RecordGuard::opens() const noexcept {
  const BlockIndex first = record_.first.load();
  return barges() && (record_.flags.load() & kHeadAwake) != 0 && first != 0 &&
         claim(first).phase.load() == ClaimPhase::waiting;
}

void RecordGuard::admit(BlockIndex self, NextStep next) noexcept {
  if (barges()) return admit_mutex(self, next);
  try {
    admit_in_order(self);
  } catch (const std::bad_alloc&) {
    // The grants so far stand, and the next process inside the record continues from
    // there.
  }
}

bool RecordGuard::has_living_owner() noexcept {
  const auto word = owner();
  if (word == 0) return false;
  if (!claims_ended(segment_, word_session(word))) return true;
  clear_owner();
  return false;
}

void RecordGuard::admit_mutex(BlockIndex self, NextStep next) noexcept {
  for (;;) {
    bool held = has_living_owner();
    const BlockIndex head = first_waiting(held);
    note_head(head);
    if (head == 0) return;
    if (held) {
      if (head == self) note_awake(next == NextStep::look_again);
      return;
    }
    // A waker outside the segment is rung only for a claim that has the lock.
    const bool hand_over =
        head == self || claim(head).signal.load() == 0 || head_is_due(record_);
    if (!hand_over) {
      if ((record_.flags.load() & kHeadAwake) != 0) return;  // It is on its way.
      note_awake(true);
      wake_later({claim(head).signal.load(), 0, 0});
      return;
    }
    grant(head, self);
  }
}

// Ends the claims that are over before the first one that waits.
BlockIndex RecordGuard::first_waiting(bool& held) noexcept {
  BlockIndex before = 0;
  for (BlockIndex u = record_.first.load(); u != 0;) {
    const BlockIndex next = claim(u).next.load();
    if (has_ended(claim(u))) {
      unlink(before, u);
      end(u);
    } else if (!has_lock(claim(u).phase.load())) {
      return u;
    } else if (withdraw(u)) {
      unlink(before, u);
    } else {
      held = true;
      before = u;
    }
    u = next;
  }
  return 0;
}

// The phase is changed before the list: the owner of a claim that is in no list must
// know it. It competes with the owner, which may accept the offer at any moment.
bool RecordGuard::withdraw(BlockIndex cell) noexcept {
  auto offered = ClaimPhase::offered;
  return is_late(record_, claim(cell)) &&
         claim(cell).phase.cas(offered, ClaimPhase::passed);
}

void RecordGuard::note_head(BlockIndex head) noexcept {
  if (is_head(head)) return;
  note_awake(false);
  if (head != 0) record_.head_since.store(boot_time_us());
  record_.head.store(head);
}

void RecordGuard::note_awake(bool awake) noexcept {
  const auto flags = record_.flags.load();
  const auto then =
      static_cast<std::uint8_t>(awake ? flags | kHeadAwake : flags & ~kHeadAwake);
  if (then != flags) record_.flags.store(then);
}

void RecordGuard::requeue(BlockIndex cell) noexcept {
  if (claim(cell).phase.load() != ClaimPhase::passed) return;
  claim(cell).phase.store(ClaimPhase::waiting);
  append(cell);
}

bool RecordGuard::forget(BlockIndex cell) noexcept {
  return remove(cell) || claim(cell).phase.load() == ClaimPhase::passed;
}

void RecordGuard::grant_newcomer(BlockIndex cell) noexcept {
  grant(cell, cell);
  prepend(cell);
}

void RecordGuard::admit_in_order(BlockIndex self) {
  thread_local std::vector<engine::QueueEntry> queue;
  queue.clear();
  if (has_living_owner()) queue.push_back({engine::Mode::exclusive, 1, true});
  const auto kind = record_.kind.load();
  const bool all_count = kind == engine::Kind::double_barrier;
  const auto entry_of = [](const ClaimCell& c) {
    return engine::QueueEntry{c.mode.load(), c.permits.load(),
                              has_lock(c.phase.load())};
  };
  if (all_count) {
    for (BlockIndex u = record_.first.load(); u != 0; u = claim(u).next.load()) {
      if (!has_ended(claim(u))) queue.push_back(entry_of(claim(u)));
    }
  }
  std::size_t index = 0;
  BlockIndex before = 0;
  for (BlockIndex u = record_.first.load(); u != 0;) {
    auto& state = claim(u);
    const BlockIndex next = state.next.load();
    if (has_ended(state)) {
      unlink(before, u);
      end(u);
      u = next;
      continue;
    }
    if (!all_count) {
      queue.push_back(entry_of(state));
      index = queue.size() - 1;
    }
    // The list only changes under the guard, which is held here. If it grew in between,
    // the file is damaged.
    if (index >= queue.size()) break;
    if (!queue[index].granted) {
      if (!engine::admits(kind, capacity_for(state), queue, index)) break;
      grant(u, self);
      queue[index].granted = true;
    }
    ++index;
    before = u;
    u = next;
  }
}

void RecordGuard::end(BlockIndex cell) noexcept {
  auto& ended = claim(cell);
  // Its owner may accept an offer at this moment.
  const bool waited = ended.phase.exchange(ClaimPhase::gone) != ClaimPhase::granted;
  changed_ = true;
  const auto slot = ended.block.owner.load();
  if (liveness_thread_ended(segment_, slot)) return;
  if (waited) {
    wake_later({ended.signal.load(), slot, 0, cell});
  } else {
    alarm(slot);
  }
}

void RecordGuard::alarm(SlotIndex slot) noexcept { wake_later({0, slot, kAlarm}); }

void RecordGuard::deliver(const PendingWake& wake) const noexcept {
  if (wake.signal != 0) {
    ring_signal(segment_, wake.signal);
  } else if (wake.claim != 0) {
    ring_claim(segment_, wake.slot, wake.claim);
  } else {
    ring_slot(segment_, wake.slot, wake.what);
  }
}

void RecordGuard::wake_later(const PendingWake& wake) noexcept {
  if (wake_count_ == wakes_.size()) {
    deliver(wake);
  } else {
    wakes_[wake_count_++] = wake;
  }
}

}  // namespace holdfast::local

// SPDX-License-Identifier: Apache-2.0

#include "engines/local/reaper.h"

#include "engines/local/memory/guard.h"
#include "engines/local/memory/heap.h"
#include "engines/local/memory/liveness_fd.h"
#include "engines/local/record_guard.h"
#include "holdfast/clock.h"

namespace holdfast::local {
namespace {

// A killed process usually ends within milliseconds, so one wait per round is worth it.
constexpr std::chrono::milliseconds kDying(50);
constexpr std::chrono::milliseconds kAtOnce(0);

bool leave_record(Segment& segment, BlockIndex index, SlotIndex slot, SessionId me) {
  auto& record = segment.at<Record>(index);
  const auto word = record.word.load();
  const bool plain = (word & kQueued) == 0 && record.guard.load() == 0;
  if (plain && word_slot(word) != slot) return true;
  RecordGuard guard(segment, {index, record.generation.load()}, me, Clock::now());
  if (guard.entered()) guard.remove_all_of(slot);
  return guard.entered() || guard.moved();
}

}  // namespace

bool reap(Segment& segment, SlotIndex slot, SessionId me) noexcept {
  HeapGuard heap(segment, me, Clock::now());
  if (!heap.entered()) return false;
  // Another session may have been quicker, and the slot may belong to a new session by
  // now.
  auto& ended = segment.slot(slot);
  if (ended.live.load() == 0 || !claims_of_slot_ended(segment, slot)) return true;
  // If its process lives after all, it learns here that it has lost everything in the
  // segment.
  ended.id.store(0);
  futex_wake(ended.control);
  bool complete = true;
  heap.each([&](BlockIndex index, Block& block) {
    if (!is_record(block.shape.load())) return;
    if (block.live.load() == 0) {
      auto& word = segment.at<Record>(index).guard;
      if (slot_inside(word) == slot) word.store(0);
      return;
    }
    if (block.owner.load() == slot) block.owner.store(0);
    complete = leave_record(segment, index, slot, me) && complete;
  });
  if (!complete) return false;
  heap.each([&](BlockIndex index, Block& block) {
    if (block.owner.load() == slot) heap.give(index);
  });
  ended.payload.store(0);
  ended.has_liveness_fd.store(0);
  ended.control.store(0);
  ended.liveness.store(0);
  ended.live.store(0);
  return true;
}

bool reap_ended_sessions(Segment& segment, SessionId me) noexcept {
  bool left_over = false;
  const auto slots = segment.header().slots.load();
  for (std::uint32_t i = 1; i <= slots && i < kSlots; ++i) {
    const auto slot = static_cast<SlotIndex>(i);
    if (slot == slot_of(me) || segment.slot(slot).live.load() == 0) continue;
    if (!liveness_thread_ended(segment, slot)) continue;
    if (!process_ended(segment, slot, left_over ? kAtOnce : kDying)) {
      left_over = true;
      continue;
    }
    if (!claims_of_slot_ended(segment, slot) || !reap(segment, slot, me))
      left_over = true;
  }
  return left_over;
}

}  // namespace holdfast::local

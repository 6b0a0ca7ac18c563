#include "engines/local/burial.h"

#include "engines/local/guard.h"
#include "engines/local/heap.h"
#include "engines/local/visit.h"
#include "engines/local/ward.h"
#include "holdfast/clock.h"

namespace holdfast::local {
namespace {

// A killed process usually ends within milliseconds, so one wait per round is worth it.
constexpr std::chrono::milliseconds kDying(50);
constexpr std::chrono::milliseconds kAtOnce(0);

bool leave_record(Segment& segment, Unit unit, SlotIndex slot, SessionId me) {
  auto& record = segment.at<Record>(unit);
  const auto word = record.word.load();
  const bool plain = (word & kQueued) == 0 && record.guard.load() == 0;
  if (plain && word_slot(word) != slot) return true;
  Visit visit(segment, {unit, record.generation.load()}, me, Clock::now());
  if (visit.inside()) visit.remove_all_of(slot);
  return visit.inside() || visit.moved();
}

}  // namespace

bool bury(Segment& segment, SlotIndex slot, SessionId me) noexcept {
  HeapVisit heap(segment, me, Clock::now());
  if (!heap.entered()) return false;
  // Another session may have been quicker, and the slot may belong to a new session by
  // now.
  auto& grave = segment.slot(slot);
  if (grave.live.load() == 0 || !claims_of_slot_ended(segment, slot)) return true;
  // If its process lives after all, it learns here that it has lost everything in the
  // segment.
  grave.id.store(0);
  futex_wake(grave.control);
  bool complete = true;
  heap.each([&](Unit unit, Block& block) {
    if (!is_record(block.shape.load())) return;
    if (block.live.load() == 0) {
      auto& word = segment.at<Record>(unit).guard;
      if (inside(word) == slot) word.store(0);
      return;
    }
    if (block.owner.load() == slot) block.owner.store(0);
    complete = leave_record(segment, unit, slot, me) && complete;
  });
  if (!complete) return false;
  heap.each([&](Unit unit, Block& block) {
    if (block.owner.load() == slot) heap.give(unit);
  });
  grave.payload.store(0);
  grave.warded.store(0);
  grave.control.store(0);
  grave.witness.store(0);
  grave.live.store(0);
  return true;
}

bool bury_the_dead(Segment& segment, SessionId me) noexcept {
  bool left_over = false;
  const auto slots = segment.header().slots.load();
  for (std::uint32_t i = 1; i <= slots && i < kSlots; ++i) {
    const auto slot = static_cast<SlotIndex>(i);
    if (slot == slot_of(me) || segment.slot(slot).live.load() == 0) continue;
    if (!witness_ended(segment, slot)) continue;
    if (!process_ended(segment, slot, left_over ? kAtOnce : kDying)) {
      left_over = true;
      continue;
    }
    if (!claims_of_slot_ended(segment, slot) || !bury(segment, slot, me))
      left_over = true;
  }
  return left_over;
}

}  // namespace holdfast::local

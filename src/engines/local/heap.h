// engines/local/heap.h - the blocks of a segment: carved once, used again and again.
//
// All of it under the header's guard: see HeapVisit.

#pragma once

#include <utility>

#include "engines/local/guard.h"
#include "engines/local/segment.h"

namespace holdfast::local {

class Heap {
 public:
  explicit Heap(Segment& segment) noexcept : segment_(segment) {}

  // A block that is freed when `owner` dies, not live yet.
  Result<Unit> take(Shape shape, SlotIndex owner);
  void give(Unit unit) noexcept;

  // As `take`, but only what is there: 0 if the segment would have to grow.
  Unit take_free(Shape shape, SlotIndex owner) noexcept;

  // Whether there is no room left to carve another one.
  bool must_grow(Shape shape) const noexcept;

  // Name chains and free lists, from the blocks alone.
  void rebuild() noexcept;

  // Calls visit(Unit, Block&) for every block. Stops at what cannot be a block, since
  // another user of the file may have written anything.
  // False: it did.
  template <class F>
  bool each(F&& visit) const {
    const Unit end = segment_.header().used.load();
    for (Unit unit = kFirstBlock; unit < end;) {
      auto& block = segment_.at<Block>(unit);
      const Shape shape = block.shape.load();
      if (shape == Shape::none || shape > Shape::signal) return false;
      if (end - unit < units_of(shape) || !segment_.holds(unit, units_of(shape)))
        return false;
      visit(unit, block);
      unit += units_of(shape);
    }
    return true;
  }

  // After a restart of the host, when nobody uses the segment: ends every claim, and
  // builds anew what can be derived. Errc::incompatible, with nothing changed: it is
  // damaged. May be repeated.
  Result<void> start_afresh() noexcept;

 private:
  bool is_sound() const noexcept;

  Segment& segment_;
};

// Being alone with the blocks, as Visit is with a record. If the last one inside has
// died there, what can be derived is derived again first.
class [[nodiscard]] HeapVisit : public Heap {
 public:
  HeapVisit(Segment& segment, SessionId me, engine::Deadline deadline) noexcept
      : Heap(segment), guard_(segment, segment.header().guard, me, deadline) {
    if (guard_.inherited()) rebuild();
  }
  bool entered() const noexcept { return guard_.entered(); }

 private:
  Guard guard_;
};

}  // namespace holdfast::local

// engines/local/heap.h - the blocks of a segment: carved once, used again and again.
//
// All of it under the header's guard. Whoever inherited that guard rebuilds first.

#pragma once

#include <utility>

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
  template <class F>
  void each(F&& visit) const {
    const Unit end = segment_.header().used.load();
    for (Unit unit = kFirstBlock; unit < end;) {
      auto& block = segment_.at<Block>(unit);
      const Shape shape = block.shape.load();
      if (shape == Shape::none || shape > Shape::signal) return;
      if (end - unit < units_of(shape)) return;
      visit(unit, block);
      unit += units_of(shape);
    }
  }

 private:
  Segment& segment_;
};

}  // namespace holdfast::local

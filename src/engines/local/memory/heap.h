// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/heap.h - the blocks of a segment, which are carved once and then
// reused.
//
// All calls need the header's guard: HeapGuard holds it.

#pragma once

#include <utility>

#include "engines/local/memory/guard.h"
#include "engines/local/memory/segment.h"

namespace holdfast::local {

class Heap {
 public:
  explicit Heap(Segment& segment) noexcept : segment_(segment) {}

  // Returns a block that is not live yet and is freed when `owner` dies.
  Result<BlockIndex> take(Shape shape, SlotIndex owner);
  void give(BlockIndex index) noexcept;

  // Works as `take`, but returns 0 if the segment would have to grow.
  BlockIndex take_free(Shape shape, SlotIndex owner) noexcept;

  // Returns whether there is no room left to carve another block.
  bool must_grow(Shape shape) const noexcept;

  // Builds the name chains and free lists again, from the blocks alone.
  void rebuild() noexcept;

  // Calls visit(BlockIndex, Block&) for every block. The walk stops and returns false
  // at the first bytes that cannot be a block, since another user of the file may have
  // written anything.
  template <class F>
  bool each(F&& visit) const {
    const BlockIndex end = segment_.header().used.load();
    for (BlockIndex index = kFirstBlock; index < end;) {
      auto& block = segment_.at<Block>(index);
      const Shape shape = block.shape.load();
      if (shape == Shape::none || shape > Shape::signal) return false;
      if (end - index < units_of(shape) || !segment_.holds(index, units_of(shape)))
        return false;
      visit(index, block);
      index += units_of(shape);
    }
    return true;
  }

  // Ends every claim and builds the derived data again, after a restart of the host
  // when no process uses the segment. Errc::incompatible means that the segment is
  // damaged, and nothing was changed. The call is idempotent.
  Result<void> start_afresh() noexcept;

 private:
  bool is_sound() const noexcept;

  Segment& segment_;
};

// Holds the header's guard, as RecordGuard holds a record's. If the last session inside
// died there, the derived data is built again first.
class [[nodiscard]] HeapGuard : public Heap {
 public:
  HeapGuard(Segment& segment, SessionId me, engine::Deadline until) noexcept
      : Heap(segment), guard_(segment, segment.header().guard, me, until) {
    if (guard_.inherited()) rebuild();
  }
  bool entered() const noexcept { return guard_.entered(); }

 private:
  Guard guard_;
};

}  // namespace holdfast::local

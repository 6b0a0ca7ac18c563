// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/heap.h"

namespace holdfast::local {

BlockIndex Heap::take_free(Shape shape, SlotIndex owner) noexcept {
  auto& head = segment_.header().free[static_cast<std::size_t>(shape)];
  const BlockIndex index = head.load();
  if (index == 0) return 0;
  auto& block = segment_.at<Block>(index);
  block.owner.store(owner);
  head.store(block.link.load());
  return index;
}

bool Heap::must_grow(Shape shape) const noexcept {
  const auto& header = segment_.header();
  return header.units.load() - header.used.load() < units_of(shape);
}

Result<BlockIndex> Heap::take(Shape shape, SlotIndex owner) {
  if (const BlockIndex index = take_free(shape, owner); index != 0) return index;
  auto& header = segment_.header();
  const BlockIndex size = units_of(shape);
  while (must_grow(shape)) {
    if (auto grown = segment_.grow(); !grown) return grown.error();
  }
  const BlockIndex index = header.used.load();
  auto& block = segment_.at<Block>(index);
  block.owner.store(owner);
  block.live.store(0);
  block.shape.store(shape);
  header.used.store(index + size);
  return index;
}

void Heap::give(BlockIndex index) noexcept {
  auto& block = segment_.at<Block>(index);
  const auto shape = static_cast<std::size_t>(block.shape.load());
  if (shape >= kShapes) return;
  auto& head = segment_.header().free[shape];
  block.live.store(0);
  block.link.store(head.load());
  block.owner.store(0);
  head.store(index);
}

void Heap::rebuild() noexcept {
  auto& header = segment_.header();
  for (auto& head : header.free) head.store(0);
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    if (segment_.bucket(i).load() != 0) segment_.bucket(i).store(0);
  }
  each([&](BlockIndex index, Block& block) {
    if (block.live.load() == 0) {
      if (block.owner.load() == 0) give(index);
    } else if (is_record(block.shape.load())) {
      auto& bucket = segment_.bucket(segment_.at<Record>(index).hash);
      block.link.store(bucket.load());
      bucket.store(index);
    }
  });
}

bool Heap::is_sound() const noexcept {
  const auto& header = segment_.header();
  bool sound = header.used.load() <= header.units.load() &&
               segment_.holds(header.units.load(), 0);
  return each([&](BlockIndex index, Block& block) {
           if (block.live.load() == 0 || !is_record(block.shape.load())) return;
           const auto& record = segment_.at<Record>(index);
           const BlockIndex value = record.value.load();
           const bool value_is_cell =
               value == 0 || (value >= kFirstBlock && value < header.used.load() &&
                              segment_.at<Block>(value).shape.load() == Shape::cell);
           sound = sound && value_is_cell &&
                   record.name_bytes <=
                       units_of(block.shape.load()) * kUnitBytes - kNameOffset;
         }) &&
         sound;
}

Result<void> Heap::start_afresh() noexcept {
  if (!is_sound()) return segment_.why_damaged();
  auto& header = segment_.header();
  for (std::uint32_t i = 1; i < kSlots; ++i) {
    auto& slot = segment_.slot(static_cast<SlotIndex>(i));
    slot.id.store(0);
    slot.liveness.store(0);
    slot.live.store(0);
  }
  header.guard.store(0);
  // Of the cells, only the values of registers stay; the claims go.
  each([](BlockIndex, Block& block) {
    block.owner.store(0);
    if (!is_record(block.shape.load())) block.live.store(0);
  });
  each([&](BlockIndex index, Block& block) {
    if (!is_record(block.shape.load())) return;
    auto& record = segment_.at<Record>(index);
    record.guard.store(0);
    if (block.live.load() == 0) return;
    record.first.store(0);
    record.last.store(0);
    record.watches.store(0);
    record.head.store(0);
    record.flags.store(0);
    const BlockIndex value = record.value.load();
    if (value != 0) segment_.at<Block>(value).live.store(1);
    const auto word = free_word(record.generation.load());
    record.word.store(value != 0 ? word | kQueued : word);
  });
  rebuild();
  return {};
}

}  // namespace holdfast::local

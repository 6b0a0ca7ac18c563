#include "engines/local/heap.h"

namespace holdfast::local {

Unit Heap::take_free(Shape shape, SlotIndex owner) noexcept {
  auto& head = segment_.header().free[static_cast<std::size_t>(shape)];
  const Unit unit = head.load();
  if (unit == 0) return 0;
  auto& block = segment_.at<Block>(unit);
  block.owner.store(owner);
  head.store(block.link.load());
  return unit;
}

bool Heap::must_grow(Shape shape) const noexcept {
  const auto& header = segment_.header();
  return header.units.load() - header.used.load() < units_of(shape);
}

Result<Unit> Heap::take(Shape shape, SlotIndex owner) {
  if (const Unit unit = take_free(shape, owner); unit != 0) return unit;
  auto& header = segment_.header();
  const Unit size = units_of(shape);
  while (must_grow(shape)) {
    if (auto grown = segment_.grow(); !grown) return grown.error();
  }
  const Unit unit = header.used.load();
  auto& block = segment_.at<Block>(unit);
  block.owner.store(owner);
  block.live.store(0);
  block.shape.store(shape);
  header.used.store(unit + size);
  return unit;
}

void Heap::give(Unit unit) noexcept {
  auto& block = segment_.at<Block>(unit);
  auto& head = segment_.header().free[static_cast<std::size_t>(block.shape.load())];
  block.live.store(0);
  block.link.store(head.load());
  block.owner.store(0);
  head.store(unit);
}

void Heap::rebuild() noexcept {
  auto& header = segment_.header();
  for (auto& head : header.free) head.store(0);
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    if (segment_.bucket(i).load() != 0) segment_.bucket(i).store(0);
  }
  each([&](Unit unit, Block& block) {
    if (block.live.load() == 0) {
      if (block.owner.load() == 0) give(unit);
    } else if (is_record(block.shape.load())) {
      auto& bucket = segment_.bucket(segment_.at<Record>(unit).hash);
      block.link.store(bucket.load());
      bucket.store(unit);
    }
  });
}

}  // namespace holdfast::local

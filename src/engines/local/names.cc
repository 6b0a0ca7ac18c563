// SPDX-License-Identifier: Apache-2.0

#include "engines/local/names.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/fnv1a.h"
#include "engines/local/memory/guard.h"
#include "engines/local/memory/heap.h"

namespace holdfast::local {
namespace {

std::uint32_t hash_of(std::string_view name) {
  const auto hash = base::fnv1a(name);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

std::uint64_t wall_clock_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

BlockIndex look_up(const Segment& segment, std::string_view name, std::uint32_t hash) {
  BlockIndex index = segment.bucket(hash).load();
  while (index != 0) {
    const auto& record = segment.at<Record>(index);
    if (record.block.shape.load() == Shape::long_record &&
        !segment.holds(index, units_of(Shape::long_record)))
      return 0;
    if (record.hash == hash && name_of(record) == name) break;
    index = record.block.link.load();
  }
  return index;
}

// Takes back records that are free and hold nothing but their last token, if there are
// many. The floor stays above their tokens.
void reclaim_idle(Segment& segment, SessionId me) {
  Heap heap(segment);
  std::size_t live = 0;
  std::size_t idle = 0;
  const auto each_record = [&](auto visit) {
    heap.each([&](BlockIndex index, Block& block) {
      if (block.live.load() != 0 && is_record(block.shape.load())) {
        visit(segment.at<Record>(index));
      }
    });
  };
  each_record([&](Record& record) {
    ++live;
    if (record.word.load() == free_word(record.generation.load())) ++idle;
  });
  if (idle < 64 || idle < live / 4) return;
  each_record([&](Record& record) {
    const Guard alone(record.guard, me);
    if (!alone.entered()) return;
    const auto generation = record.generation.load();
    auto word = free_word(generation);
    if (record.word.cas(word, word | kQueued)) {
      auto& floor = segment.header().floor;
      floor.store(std::max(floor.load(), record.token.load()));
      record.generation.store(generation + 1);
      record.block.live.store(0);
    }
  });
  heap.rebuild();
}

Result<BlockIndex> make_record(Segment& segment, std::string_view name,
                               std::uint32_t hash, SessionId me) {
  Heap heap(segment);
  const Shape shape = name.size() <= kShortName ? Shape::record : Shape::long_record;
  BlockIndex index = heap.take_free(shape, slot_of(me));
  if (index == 0) {
    if (heap.must_grow(shape)) reclaim_idle(segment, me);
    const auto taken = heap.take(shape, slot_of(me));
    if (!taken) return taken.error();
    index = *taken;
  }
  if (!segment.holds(index, units_of(shape))) return segment.why_damaged();
  auto& record = segment.at<Record>(index);
  record.hash = hash;
  record.name_bytes = static_cast<std::uint16_t>(name.size());
  std::memcpy(record.name, name.data(), name.size());
  record.token.store(std::max(segment.header().floor.load(), wall_clock_us()));
  record.word.store(free_word(record.generation.load()));
  record.block.live.store(1);
  record.block.owner.store(0);
  auto& bucket = segment.bucket(hash);
  record.block.link.store(bucket.load());
  bucket.store(index);
  return index;
}

}  // namespace

Result<RecordRef> find_name(Segment& segment, std::string_view name, SessionId me,
                            engine::Deadline until) {
  const HeapGuard heap(segment, me, until);
  if (!heap.entered()) return stuck(segment, segment.header().guard);
  const auto hash = hash_of(name);
  BlockIndex index = look_up(segment, name, hash);
  if (index == 0) {
    const auto made = make_record(segment, name, hash, me);
    if (!made) return made.error();
    index = *made;
  }
  if (segment.damaged()) return segment.why_damaged();
  return RecordRef{index, segment.at<Record>(index).generation.load()};
}

}  // namespace holdfast::local

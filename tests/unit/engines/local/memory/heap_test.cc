// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/heap.h"

#include <gtest/gtest.h>

#include <vector>

#include "engines/local/names.h"
#include "support/temp_dir.h"

namespace holdfast::local {
namespace {

constexpr SlotIndex kOwner = 7;
constexpr SessionId kMe = session_id(1, 1);

class LocalHeap : public testing::Test {
 protected:
  Header& header() const { return segment_->header(); }
  Block& block(BlockIndex index) const { return segment_->at<Block>(index); }
  Record& record(const RecordRef& ref) const {
    return segment_->at<Record>(ref.record);
  }

  BlockIndex take(Shape shape, SlotIndex owner = kOwner) {
    return heap_.take(shape, owner).value();
  }

  RecordRef find(std::string_view name) const {
    return find_name(*segment_, name, kMe, engine::Deadline::max()).value();
  }

  std::vector<BlockIndex> visited() const {
    std::vector<BlockIndex> all;
    complete_ = heap_.each([&](BlockIndex index, Block&) { all.push_back(index); });
    return all;
  }

  test::TempDir dir_;
  const std::shared_ptr<Segment> segment_ =
      Segment::open({dir_.file("segment"), {}}).value();
  Heap heap_{*segment_};
  mutable bool complete_ = false;
};

TEST_F(LocalHeap, BlocksAreCarvedOneBehindTheOther) {
  std::vector<BlockIndex> taken;
  BlockIndex next = kFirstBlock;
  for (const Shape shape : {Shape::cell, Shape::record, Shape::long_record, Shape::text,
                            Shape::signal, Shape::cell}) {
    taken.push_back(take(shape));
    EXPECT_EQ(taken.back(), next);
    EXPECT_EQ(block(next).shape.load(), shape);
    next += units_of(shape);
    EXPECT_EQ(header().used.load(), next);
  }
  EXPECT_EQ(visited(), taken);
  EXPECT_TRUE(complete_);
}

TEST_F(LocalHeap, ABlockThatIsTakenIsItsOwnersAndNotLive) {
  // A process may have died here before it had carved the block.
  block(header().used.load()).live.store(1);
  const BlockIndex cell = take(Shape::cell);
  EXPECT_EQ(block(cell).owner.load(), kOwner);
  EXPECT_EQ(block(cell).live.load(), 0);
}

TEST_F(LocalHeap, AFreedBlockIsReusedForItsShapeAlone) {
  const BlockIndex first = take(Shape::cell);
  const BlockIndex second = take(Shape::cell);
  block(first).live.store(1);
  heap_.give(first);
  heap_.give(second);
  EXPECT_EQ(block(first).live.load(), 0);
  EXPECT_EQ(block(first).owner.load(), 0);
  EXPECT_EQ(heap_.take_free(Shape::signal, kOwner), 0U);
  EXPECT_EQ(heap_.take_free(Shape::cell, 9), second);
  EXPECT_EQ(block(second).owner.load(), 9);
  EXPECT_EQ(take(Shape::cell), first);
  EXPECT_EQ(heap_.take_free(Shape::cell, kOwner), 0U);
}

TEST_F(LocalHeap, IsFilledToTheLastUnitBeforeItGrows) {
  const auto before = header().units.load();
  while (header().used.load() < before) take(Shape::cell);
  EXPECT_EQ(header().units.load(), before);
  EXPECT_TRUE(heap_.must_grow(Shape::cell));
}

TEST_F(LocalHeap, GrowsWhenItIsFullAndMovesNothing) {
  const BlockIndex marked = take(Shape::text);
  segment_->at<TextBlock>(marked).bytes.store(42);
  const auto before = header().units.load();
  while (!heap_.must_grow(Shape::long_record)) take(Shape::long_record);
  EXPECT_EQ(header().units.load(), before);
  const BlockIndex last = take(Shape::long_record);
  EXPECT_GT(header().units.load(), before);
  EXPECT_LE(last + units_of(Shape::long_record), header().units.load());
  EXPECT_EQ(segment_->at<TextBlock>(marked).bytes.load(), 42U);
  EXPECT_FALSE(segment_->damaged());
}

TEST_F(LocalHeap, AWalkStopsAtBytesThatCannotBeABlock) {
  const BlockIndex first = take(Shape::cell);
  const BlockIndex second = take(Shape::cell);
  take(Shape::cell);
  for (const auto wrong : {Shape::none, static_cast<Shape>(kShapes)}) {
    block(second).shape.store(wrong);
    EXPECT_EQ(visited(), std::vector{first});
    EXPECT_FALSE(complete_);
  }
}

TEST_F(LocalHeap, AWalkStopsAtABlockThatReachesOverTheEnd) {
  const BlockIndex first = take(Shape::cell);
  const BlockIndex last = take(Shape::cell);
  block(last).shape.store(Shape::long_record);
  EXPECT_EQ(visited(), std::vector{first});
  EXPECT_FALSE(complete_);
}

TEST_F(LocalHeap, IsRebuiltFromTheBlocksAlone) {
  const RecordRef name = find("name");
  const BlockIndex unused = take(Shape::cell, 0);
  const BlockIndex owned = take(Shape::cell);
  for (auto& head : header().free) head.store(owned);
  for (std::uint32_t i = 0; i < kBuckets; ++i) segment_->bucket(i).store(owned);
  heap_.rebuild();
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    const bool has_name = i == record(name).hash % kBuckets;
    EXPECT_EQ(segment_->bucket(i).load(), has_name ? name.record : 0);
  }
  EXPECT_EQ(record(name).block.link.load(), 0U);
  EXPECT_EQ(take(Shape::cell), unused);
  EXPECT_NE(take(Shape::cell), owned) << "a block of a session was given away";
}

TEST_F(LocalHeap, AGuardThatWasInheritedRebuildsIt) {
  const RecordRef name = find("name");
  segment_->bucket(record(name).hash).store(0);
  // No session has this id, so the guard counts as left by a session that died.
  header().guard.store(session_id(2, 5));
  {
    const HeapGuard guard(*segment_, kMe, engine::Deadline::max());
    ASSERT_TRUE(guard.entered());
  }
  EXPECT_EQ(header().guard.load(), 0U);
  EXPECT_EQ(find("name").record, name.record);
}

TEST_F(LocalHeap, AfreshMeansWithoutClaimsAndWithRegisters) {
  const RecordRef held = find("held");
  const RecordRef counter = find("counter");
  const BlockIndex claim = take(Shape::cell);
  record(held).word.store(owned_word(kMe, 1) | kQueued);
  record(held).guard.store(kMe);
  record(held).first.store(claim);
  record(held).last.store(claim);
  record(held).watches.store(claim);
  block(claim).live.store(1);
  const BlockIndex value = take(Shape::cell);
  segment_->at<ValueCell>(value).number.store(5);
  record(counter).value.store(value);
  auto& slot = segment_->slot(kOwner);
  slot.live.store(1);
  slot.id.store(session_id(kOwner, 1));
  slot.liveness.store(1);
  header().guard.store(kMe);

  ASSERT_TRUE(heap_.start_afresh());
  EXPECT_EQ(record(held).word.load(), free_word(held.generation));
  EXPECT_EQ(record(held).guard.load(), 0U);
  EXPECT_EQ(record(held).first.load(), 0U);
  EXPECT_EQ(record(held).last.load(), 0U);
  EXPECT_EQ(record(held).watches.load(), 0U);
  EXPECT_EQ(record(counter).word.load(), free_word(counter.generation) | kQueued);
  EXPECT_EQ(segment_->at<ValueCell>(record(counter).value.load()).number.load(), 5);
  EXPECT_EQ(header().guard.load(), 0U);
  EXPECT_EQ(slot.live.load() + slot.id.load() + slot.liveness.load(), 0U);
  EXPECT_EQ(take(Shape::cell), claim);
  EXPECT_NE(take(Shape::cell), value) << "a register was given away";
  EXPECT_EQ(find("held").record, held.record);
}

TEST_F(LocalHeap, ADamagedSegmentIsNotStartedAfresh) {
  const RecordRef name = find("name");
  const BlockIndex text = take(Shape::text);
  const auto expect_refused = [&] {
    record(name).guard.store(kMe);
    const auto begun = heap_.start_afresh();
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().code, Errc::incompatible);
    EXPECT_EQ(record(name).guard.load(), kMe) << "it was changed";
  };
  record(name).value.store(text);  // A register is a cell.
  expect_refused();
  const BlockIndex uncarved = header().used.load();
  block(uncarved).shape.store(Shape::cell);
  record(name).value.store(uncarved);
  expect_refused();
  segment_->bucket(0).store(static_cast<BlockIndex>(Shape::cell));
  record(name).value.store(kBucketsAt / kUnitBytes);  // This is not among the blocks.
  expect_refused();
  segment_->bucket(0).store(0);
  record(name).value.store(0);
  record(name).name_bytes = kShortName + 1;
  expect_refused();
  record(name).name_bytes = 4;
  block(text).shape.store(Shape::none);
  expect_refused();
  block(text).shape.store(Shape::text);
  const auto units = header().units.load();
  header().units.store(2 * units);  // The file is not as large as that.
  expect_refused();
  header().units.store(units);
  EXPECT_TRUE(heap_.start_afresh());
}

}  // namespace
}  // namespace holdfast::local

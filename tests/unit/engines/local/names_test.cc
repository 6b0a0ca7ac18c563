// SPDX-License-Identifier: Apache-2.0

#include "engines/local/names.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

#include "engines/local/memory/heap.h"
#include "support/temp_dir.h"

namespace holdfast::local {
namespace {

constexpr SessionId kFinder = session_id(1, 1);

class LocalNames : public testing::Test {
 protected:
  RecordRef find(std::string_view name) const {
    return find_name(*segment_, name, kFinder, engine::Deadline::max()).value();
  }
  Record& record(const RecordRef& ref) const {
    return segment_->at<Record>(ref.record);
  }

  test::TempDir dir_;
  const std::shared_ptr<Segment> segment_ =
      Segment::open({dir_.file("segment"), {}}).value();
};

TEST_F(LocalNames, ANameHasOneRecord) {
  const RecordRef first = find("stock/1001");
  const RecordRef other = find("stock/1002");
  const RecordRef again = find("stock/1001");
  EXPECT_NE(first.record, other.record);
  EXPECT_EQ(again.record, first.record);
  EXPECT_EQ(again.generation, first.generation);
  EXPECT_EQ(name_of(record(first)), "stock/1001");
}

TEST_F(LocalNames, ANewRecordIsFreeLiveAndOfNoSession) {
  const RecordRef ref = find("name");
  EXPECT_EQ(record(ref).word.load(), free_word(ref.generation));
  EXPECT_EQ(record(ref).block.live.load(), 1);
  EXPECT_EQ(record(ref).block.owner.load(), 0);
  EXPECT_EQ(segment_->header().guard.load(), 0U);
}

// Every process of the host must compute the same number, whatever built it.
TEST_F(LocalNames, TheHashIsFnv1a) {
  EXPECT_EQ(record(find("a")).hash, 0x296230c0U);
  EXPECT_EQ(record(find("stock/1001")).hash, 0x09997d4dU);
}

TEST_F(LocalNames, AShortNameFitsIntoAShortRecord) {
  const std::string longest_short(kShortName, 's');
  const std::string shortest_long(kShortName + 1, 's');
  const std::string longest(512, 'l');
  EXPECT_EQ(record(find(longest_short)).block.shape.load(), Shape::record);
  EXPECT_EQ(record(find(shortest_long)).block.shape.load(), Shape::long_record);
  for (const auto& name : {longest_short, shortest_long, longest}) {
    EXPECT_EQ(name_of(record(find(name))), name);
    EXPECT_EQ(find(name).record, find(name).record);
  }
}

TEST_F(LocalNames, NamesOfOneBucketAreToldApart) {
  std::map<std::uint32_t, std::string> seen;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "name " + std::to_string(i);
    const RecordRef ref = find(name);
    const auto [first, is_new] = seen.emplace(record(ref).hash % kBuckets, name);
    if (is_new) continue;
    const RecordRef other = find(first->second);
    EXPECT_NE(other.record, ref.record);
    EXPECT_EQ(name_of(record(other)), first->second);
    EXPECT_EQ(find(name).record, ref.record);
    return;
  }
  FAIL() << "no two of the names share a bucket";
}

TEST_F(LocalNames, TokensStartAboveTheFloorAndTheClock) {
  const auto clock = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  EXPECT_GE(record(find("by the clock")).token.load(),
            static_cast<std::uint64_t>(clock.count()));
  const std::uint64_t floor = std::uint64_t{1} << 62;
  segment_->header().floor.store(floor);
  EXPECT_EQ(record(find("by the floor")).token.load(), floor);
}

TEST_F(LocalNames, IdleRecordsAreReusedBeforeTheSegmentGrows) {
  const RecordRef old = find("old");
  const std::uint64_t token = std::uint64_t{1} << 62;
  record(old).token.store(token);
  const RecordRef held = find("held");
  record(held).word.store(owned_word(kFinder, 1));
  const auto units = segment_->header().units.load();
  const Heap heap(*segment_);
  int made = 0;
  while (!heap.must_grow(Shape::record)) find("name " + std::to_string(made++));
  ASSERT_GT(made, 100);

  const RecordRef fresh = find("one more");
  EXPECT_EQ(segment_->header().units.load(), units);
  EXPECT_NE(record(old).generation.load(), old.generation) << "the reference is stale";
  EXPECT_EQ(segment_->header().floor.load(), token);
  EXPECT_EQ(record(fresh).token.load(), token) << "or a token would be given twice";
  EXPECT_EQ(find("held").record, held.record);
  EXPECT_EQ(record(held).generation.load(), held.generation);
  EXPECT_EQ(name_of(record(find("old"))), "old");
}

TEST_F(LocalNames, ALengthFromTheFileIsNotTrusted) {
  auto& damaged = record(find("name"));
  damaged.name_bytes = 0xffff;
  EXPECT_EQ(name_of(damaged).size(), kShortName);
}

TEST_F(LocalNames, AnIndexThatLeadsOutOfTheFileIsDamage) {
  const auto bucket = record(find("name")).hash;
  segment_->bucket(bucket).store(0x00ffffff);
  const auto found = find_name(*segment_, "name", kFinder, engine::Deadline::max());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::incompatible);
}

}  // namespace
}  // namespace holdfast::local

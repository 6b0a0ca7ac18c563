// SPDX-License-Identifier: Apache-2.0

#include "faults/crash_points/audit.h"

#include <map>
#include <set>

#include "engines/local/memory/guard.h"
#include "engines/local/memory/heap.h"
#include "engines/local/names.h"

namespace holdfast::test {
namespace {

using namespace holdfast::local;

std::string check_record(const Segment& segment, BlockIndex index,
                         std::set<BlockIndex>& linked) {
  const auto& record = segment.at<Record>(index);
  const std::string name(name_of(record));
  if (record.guard.load() != 0) return name + ": its guard is taken";
  const bool queued = (record.word.load() & kQueued) != 0;
  const bool open = (record.word.load() & kOpen) != 0;
  BlockIndex last = 0;
  bool head_waits = false;
  for (BlockIndex u = record.first.load(); u != 0;
       u = segment.at<ClaimCell>(u).next.load()) {
    const auto phase = segment.at<ClaimCell>(u).phase.load();
    if (open && phase != ClaimPhase::waiting)
      return name + ": it is open, but a claim has it";
    head_waits =
        head_waits || (u == record.head.load() && phase == ClaimPhase::waiting);
    if (!linked.insert(u).second) return name + ": a claim is linked twice";
    if (process_ended(segment, segment.at<Block>(u).owner.load()))
      return name + ": a claim of an ended session";
    last = u;
  }
  if (open && (!head_waits || (record.flags.load() & kHeadAwake) == 0))
    return name + ": it is open, but no waiter is awake";
  if (record.first.load() == 0 && (record.head.load() != 0 || record.flags.load() != 0))
    return name + ": no claim is left, but what belonged to its queue";
  if (record.last.load() != last) return name + ": `last` is not the last claim";
  for (BlockIndex w = record.watches.load(); w != 0;
       w = segment.at<Block>(w).link.load()) {
    if (!linked.insert(w).second) return name + ": a watch is linked twice";
  }
  if (const BlockIndex value = record.value.load(); value != 0) {
    linked.insert(value);
    if (segment.at<Block>(value).owner.load() != 0)
      return name + ": its register belongs to a session";
  }
  const bool state = record.first.load() != 0 || record.value.load() != 0 ||
                     record.watches.load() != 0;
  if (state != queued) return name + ": kQueued does not fit its state";
  return {};
}

}  // namespace

std::string audit(Segment& segment) {
  std::set<BlockIndex> linked;
  std::set<BlockIndex> free;
  std::set<BlockIndex> chained;
  auto& header = segment.header();
  if (header.guard.load() != 0) return "the header's guard is taken";
  for (const auto& head : header.free) {
    for (BlockIndex u = head.load(); u != 0; u = segment.at<Block>(u).link.load()) {
      if (!free.insert(u).second) return "a block is on the free lists twice";
    }
  }
  for (std::uint32_t i = 0; i < kBuckets; ++i) {
    for (BlockIndex u = segment.bucket(i).load(); u != 0;
         u = segment.at<Block>(u).link.load()) {
      if (!chained.insert(u).second) return "a record is chained twice";
    }
  }
  std::string fault;
  BlockIndex end = kFirstBlock;
  const auto say = [&](const std::string& what) {
    if (fault.empty()) fault = what;
  };
  Heap(segment).each([&](BlockIndex index, Block& block) {
    end = index + units_of(block.shape.load());
    if (block.live.load() != 0 && is_record(block.shape.load())) {
      if (!chained.contains(index)) say("a record is not chained");
      if (block.owner.load() != 0) say("a record belongs to a session");
      say(check_record(segment, index, linked));
    }
  });
  if (end != header.used.load()) say("the blocks do not fill the segment");
  Heap(segment).each([&](BlockIndex index, Block& block) {
    const bool record = is_record(block.shape.load()) && block.live.load() != 0;
    const auto owner = block.owner.load();
    const bool owned = owner != 0 && !process_ended(segment, owner);
    if (free.contains(index) && (linked.contains(index) || record || owner != 0))
      say("a block is free and in use");
    if (!free.contains(index) && !linked.contains(index) && !record && !owned)
      say("a block is lost");
  });
  return fault;
}

}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include "engines/local/listing.h"

#include <charconv>
#include <utility>

#include "base/ids.h"
#include "engines/local/memory/heap.h"
#include "holdfast/clock.h"

namespace holdfast::local {

using engine::Entry;

namespace {

constexpr std::size_t kPage = 256;

std::string text_at(const Segment& segment, BlockIndex index) {
  if (index == 0) return {};
  const auto& block = segment.at<TextBlock>(index);
  return {block.text, std::min<std::size_t>(block.bytes.load(), kMaxPayload)};
}

std::chrono::system_clock::time_point wall_time(std::uint32_t seconds) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
}

Entry plain_entry(const Segment& segment, const Record& record, std::uint64_t word) {
  Entry entry;
  entry.owner = owner_of(segment, word_slot(word), word_ticket(word));
  entry.payload = text_at(segment, segment.slot(word_slot(word)).payload.load());
  entry.granted = true;
  entry.token = {record.token.load()};
  entry.since = wall_time(record.since.load());
  return entry;
}

Entry queued_entry(const Segment& segment, const ClaimCell& claim) {
  Entry entry;
  const auto slot = claim.block.owner.load();
  entry.owner = owner_of(segment, slot, claim.ticket.load());
  entry.payload =
      text_at(segment, claim.payload.load() != 0 ? claim.payload.load()
                                                 : segment.slot(slot).payload.load());
  entry.mode = claim.mode.load();
  entry.permits = claim.permits.load();
  entry.granted = has_lock(claim.phase.load());
  if (!entry.granted) return entry;
  entry.token = {claim.token.load()};
  entry.since = wall_time(claim.since.load());
  if (claim.lease_ms.load() != kUnleased) {
    entry.left = engine::LeaseTime(claim.lease_ends.load() -
                                   Clock::now().time_since_epoch().count());
  }
  return entry;
}

}  // namespace

std::string owner_of(const Segment& segment, SlotIndex slot, std::uint64_t ticket) {
  return base::to_string(segment.slot(slot).client) + ":" + std::to_string(ticket);
}

Result<engine::Page> list_names(ProcessSlot& process, std::string_view prefix,
                                std::string_view from, engine::Deadline until) {
  BlockIndex start = 0;
  std::from_chars(from.data(), from.data() + from.size(), start);
  if (!process.present()) return process.why_absent();
  auto& segment = process.segment();
  const HeapGuard heap(segment, process.me(), until);
  if (!heap.entered()) return stuck(segment, segment.header().guard);
  engine::Page page;
  heap.each([&](BlockIndex index, Block& block) {
    if (index < start || block.live.load() == 0 || !is_record(block.shape.load()))
      return;
    const auto& record = segment.at<Record>(index);
    const auto word = record.word.load();
    const bool queued = record.first.load() != 0 || record.value.load() != 0;
    if (word_slot(word) == 0 && !queued) return;
    if (!name_of(record).starts_with(prefix)) return;
    if (page.addresses.size() == kPage) {
      if (page.next.empty()) page.next = std::to_string(index);
      return;
    }
    const auto kind = word_slot(word) != 0 ? engine::Kind::mutex : record.kind.load();
    page.addresses.push_back({kind, std::string(name_of(record))});
  });
  return page;
}

Result<std::vector<Entry>> survey_claims(BoundRecord& record, std::size_t limit,
                                         engine::Deadline until) {
  return record.under_guard<std::vector<Entry>>(until, [&](RecordGuard& guard) {
    guard.admit();
    std::vector<Entry> entries;
    const bool ours = guard.become(record.kind());
    if (ours && guard.owner() != 0 && limit != 0) {
      entries.push_back(plain_entry(record.segment(), guard.record(), guard.owner()));
    }
    BlockIndex u = ours ? guard.record().first.load() : 0;
    for (; u != 0 && entries.size() < limit; u = guard.claim(u).next.load()) {
      entries.push_back(queued_entry(record.segment(), guard.claim(u)));
    }
    return Result<std::vector<Entry>>(std::move(entries));
  });
}

}  // namespace holdfast::local

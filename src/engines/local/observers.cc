#include <utility>

#include "base/ids.h"
#include "engines/local/resource.h"
#include "engines/local/signal.h"
#include "engines/local/wakeups.h"
#include "holdfast/clock.h"

namespace holdfast::local {

using engine::Entry;

namespace {

constexpr auto kRetry = std::chrono::seconds(5);

std::string text_at(const Segment& segment, BlockIndex index) {
  if (index == 0) return {};
  const auto& block = segment.at<TextBlock>(index);
  return {block.text, std::min<std::size_t>(block.bytes.load(), kMaxPayload)};
}

std::string spell(const Segment& segment, SlotIndex slot, std::uint64_t ticket) {
  return base::to_string(segment.slot(slot).client) + ":" + std::to_string(ticket);
}

std::chrono::system_clock::time_point wall_time(std::uint32_t seconds) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
}

Entry plain_entry(const Segment& segment, const Record& record, std::uint64_t word) {
  Entry entry;
  entry.owner = spell(segment, word_slot(word), word_ticket(word));
  entry.payload = text_at(segment, segment.slot(word_slot(word)).payload.load());
  entry.granted = true;
  entry.token = {record.token.load()};
  entry.since = wall_time(record.since.load());
  return entry;
}

Entry queued_entry(const Segment& segment, const ClaimCell& claim) {
  Entry entry;
  const auto slot = claim.block.owner.load();
  entry.owner = spell(segment, slot, claim.ticket.load());
  entry.payload =
      text_at(segment, claim.payload.load() != 0 ? claim.payload.load()
                                                 : segment.slot(slot).payload.load());
  entry.mode = claim.mode.load();
  entry.permits = claim.permits.load();
  entry.granted = claim.phase.load() == ClaimPhase::granted;
  if (!entry.granted) return entry;
  entry.token = {claim.token.load()};
  entry.since = wall_time(claim.since.load());
  if (claim.lease_ms.load() != kUnleased) {
    entry.left = engine::Lease(claim.lease_ends.load() -
                               Clock::now().time_since_epoch().count());
  }
  return entry;
}

// Removes the watch cell from the record when the watch is dropped. Until then the
// record is not given to another name.
class Unwatch {
 public:
  Unwatch(std::shared_ptr<ProcessSlot> process, RecordRef ref, BlockIndex cell) noexcept
      : process_(std::move(process)), ref_(ref), cell_(cell) {}
  Unwatch(const Unwatch&) = delete;
  Unwatch& operator=(const Unwatch&) = delete;
  ~Unwatch() {
    process_->forget_watch(cell_);
    if (!process_->present()) return;
    auto& segment = process_->segment();
    {
      RecordGuard guard(segment, ref_, process_->me(), engine::Deadline::max());
      if (!guard.entered()) return;
      Shared<BlockIndex>* link = &guard.record().watches;
      while (link->load() != 0 && link->load() != cell_) {
        link = &segment.at<Block>(link->load()).link;
      }
      if (link->load() == cell_) link->store(segment.at<Block>(cell_).link.load());
    }
    process_->give_cell(cell_);
  }

 private:
  std::shared_ptr<ProcessSlot> process_;
  RecordRef ref_;
  BlockIndex cell_;
};

}  // namespace

Result<engine::Watch> LocalResource::watch(const engine::Waker& waker,
                                           engine::Deadline deadline) {
  if (!process_->present()) return process_->why_absent();
  const auto cell = process_->take_cell();
  if (!cell) return cell.error();
  const BlockIndex signal = signal_cell_of(waker);
  segment().at<WatchCell>(*cell).signal.store(signal);
  if (signal == 0) process_->note_watch(*cell, waker);
  const auto watching =
      inside<RecordRef>(deadline, [&](RecordGuard& guard) -> Result<RecordRef> {
        segment().at<Block>(*cell).link.store(guard.record().watches.load());
        guard.record().watches.store(*cell);
        return ref();
      });
  if (!watching) {
    process_->forget_watch(*cell);
    process_->give_cell(*cell);
    return watching.error();
  }
  return engine::Watch{std::make_shared<Unwatch>(process_, *watching, *cell), kRetry};
}

Result<std::vector<Entry>> LocalResource::survey(std::size_t limit,
                                                 engine::Deadline deadline) {
  return inside<std::vector<Entry>>(deadline, [&](RecordGuard& guard) {
    guard.admit();
    std::vector<Entry> entries;
    const bool ours = guard.become(kind_);
    if (ours && guard.owner() != 0 && limit != 0) {
      entries.push_back(plain_entry(segment(), guard.record(), guard.owner()));
    }
    BlockIndex u = ours ? guard.record().first.load() : 0;
    for (; u != 0 && entries.size() < limit; u = guard.claim(u).next.load()) {
      entries.push_back(queued_entry(segment(), guard.claim(u)));
    }
    return Result<std::vector<Entry>>(std::move(entries));
  });
}

Result<void> LocalResource::evict(std::string_view owner, engine::Deadline deadline) {
  return inside<void>(deadline, [&](RecordGuard& guard) -> Result<void> {
    const auto word = guard.owner();
    if (word != 0 && spell(segment(), word_slot(word), word_ticket(word)) == owner) {
      guard.clear_owner();
      guard.alarm(word_slot(word));
      guard.admit();
      return {};
    }
    for (BlockIndex u = guard.record().first.load(); u != 0;
         u = guard.claim(u).next.load()) {
      const auto& claim = guard.claim(u);
      if (spell(segment(), claim.block.owner.load(), claim.ticket.load()) != owner)
        continue;
      guard.remove(u);
      guard.end(u);
      guard.admit();
      return {};
    }
    return Failure(Errc::not_held, quoted() + " is not held by " + std::string(owner));
  });
}

}  // namespace holdfast::local

#include <utility>

#include "base/ids.h"
#include "engines/local/bell.h"
#include "engines/local/resource.h"
#include "engines/local/signal.h"
#include "holdfast/clock.h"

namespace holdfast::local {

using engine::Entry;

namespace {

constexpr auto kRetry = std::chrono::seconds(5);

std::string text_at(const Segment& segment, Unit unit) {
  if (unit == 0) return {};
  const auto& block = segment.at<TextBlock>(unit);
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
  entry.granted = claim.standing.load() == Standing::granted;
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
  Unwatch(std::shared_ptr<Member> member, Spot spot, Unit cell) noexcept
      : member_(std::move(member)), spot_(spot), cell_(cell) {}
  Unwatch(const Unwatch&) = delete;
  Unwatch& operator=(const Unwatch&) = delete;
  ~Unwatch() {
    member_->forget_watch(cell_);
    if (!member_->present()) return;
    auto& segment = member_->segment();
    {
      Visit visit(segment, spot_, member_->me(), engine::Deadline::max());
      if (!visit.inside()) return;
      Shared<Unit>* link = &visit.record().watches;
      while (link->load() != 0 && link->load() != cell_) {
        link = &segment.at<Block>(link->load()).link;
      }
      if (link->load() == cell_) link->store(segment.at<Block>(cell_).link.load());
    }
    member_->give_cell(cell_);
  }

 private:
  std::shared_ptr<Member> member_;
  Spot spot_;
  Unit cell_;
};

}  // namespace

Result<engine::Watch> LocalResource::watch(const engine::Waker& waker,
                                           engine::Deadline deadline) {
  if (!member_->present()) return member_->why_absent();
  const auto cell = member_->take_cell();
  if (!cell) return cell.error();
  const Unit bell = bell_of(waker);
  segment().at<WatchCell>(*cell).signal.store(bell);
  if (bell == 0) member_->note_watch(*cell, waker);
  const auto watching = inside<Spot>(deadline, [&](Visit& visit) -> Result<Spot> {
    segment().at<Block>(*cell).link.store(visit.record().watches.load());
    visit.record().watches.store(*cell);
    return spot();
  });
  if (!watching) {
    member_->forget_watch(*cell);
    member_->give_cell(*cell);
    return watching.error();
  }
  return engine::Watch{std::make_shared<Unwatch>(member_, *watching, *cell), kRetry};
}

Result<std::vector<Entry>> LocalResource::survey(std::size_t limit,
                                                 engine::Deadline deadline) {
  return inside<std::vector<Entry>>(deadline, [&](Visit& visit) {
    visit.admit();
    std::vector<Entry> entries;
    const bool ours = visit.become(kind_);
    if (ours && visit.owner() != 0 && limit != 0) {
      entries.push_back(plain_entry(segment(), visit.record(), visit.owner()));
    }
    Unit u = ours ? visit.record().first.load() : 0;
    for (; u != 0 && entries.size() < limit; u = visit.claim(u).next.load()) {
      entries.push_back(queued_entry(segment(), visit.claim(u)));
    }
    return Result<std::vector<Entry>>(std::move(entries));
  });
}

Result<void> LocalResource::evict(std::string_view owner, engine::Deadline deadline) {
  return inside<void>(deadline, [&](Visit& visit) -> Result<void> {
    const auto word = visit.owner();
    if (word != 0 && spell(segment(), word_slot(word), word_ticket(word)) == owner) {
      visit.clear_owner();
      visit.alarm(word_slot(word));
      visit.admit();
      return {};
    }
    for (Unit u = visit.record().first.load(); u != 0; u = visit.claim(u).next.load()) {
      const auto& claim = visit.claim(u);
      if (spell(segment(), claim.block.owner.load(), claim.ticket.load()) != owner)
        continue;
      visit.remove(u);
      visit.end(u);
      visit.admit();
      return {};
    }
    return Failure(Errc::not_held, quoted() + " is not held by " + std::string(owner));
  });
}

}  // namespace holdfast::local

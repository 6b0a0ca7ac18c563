#include "engines/local/visit.h"

#include <ctime>
#include <limits>
#include <vector>

#include "engines/local/bell.h"
#include "engines/local/ward.h"
#include "holdfast/clock.h"
#include "holdfast/engine/admission.h"

namespace holdfast::local {
namespace {

constexpr std::uint8_t raw(Standing standing) {
  return static_cast<std::uint8_t>(standing);
}

// A mutex and a fair mutex of one name are one lock: here both are ordered.
engine::Kind family(engine::Kind kind) {
  return kind == engine::Kind::fair_mutex ? engine::Kind::mutex : kind;
}

}  // namespace

std::uint32_t wall_seconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<std::uint32_t>(now.tv_sec);
}

Visit::Visit(Segment& segment, Spot spot, SlotIndex me,
             engine::Deadline deadline) noexcept
    : segment_(segment),
      record_(segment.at<Record>(spot.record)),
      guard_(segment, record_.guard, me, deadline) {
  if (!guard_.entered()) return;
  moved_ =
      record_.block.live.load() == 0 || record_.generation.load() != spot.generation;
  if (moved_) return;
  inside_ = true;
  raise();
  if (guard_.inherited()) {
    Unit last = 0;
    for (Unit u = record_.first.load(); u != 0; u = claim(u).next.load()) last = u;
    record_.last.store(last);
    admit();
  }
}

Visit::~Visit() {
  if (inside_) {
    if (changed_) {
      for (Unit w = record_.watches.load(); w != 0;
           w = segment_.at<Block>(w).link.load()) {
        const auto& watch = segment_.at<WatchCell>(w);
        ring_later({watch.signal.load(), watch.block.owner.load(), kRingWakers});
      }
    }
    lower();
  }
  guard_.leave();
  for (std::size_t i = 0; i < bell_count_; ++i) ring(bells_[i]);
}

void Visit::raise() noexcept {
  auto word = record_.word.load();
  while ((word & kQueued) == 0 && !record_.word.cas(word, word | kQueued)) {
  }
}

void Visit::lower() noexcept {
  if (record_.first.load() != 0 || record_.value.load() != 0 ||
      record_.watches.load() != 0)
    return;
  const auto word = owner();
  record_.word.store(word != 0 ? word : free_word(record_.generation.load()));
}

bool Visit::become(engine::Kind kind) noexcept {
  const bool used = record_.first.load() != 0 || record_.value.load() != 0;
  const auto now = owner() != 0 ? engine::Kind::mutex
                                : static_cast<engine::Kind>(record_.kind.load());
  if ((used || owner() != 0) && now != family(kind)) return false;
  if (!used) record_.kind.store(static_cast<std::uint8_t>(family(kind)));
  return true;
}

std::uint64_t Visit::owner() const noexcept {
  const auto word = record_.word.load() & ~kQueued;
  return word_slot(word) == 0 ? 0 : word;
}

void Visit::clear_owner() noexcept {
  record_.word.store(free_word(record_.generation.load()) | kQueued);
  changed_ = true;
}

void Visit::append(Unit cell) noexcept {
  claim(cell).next.store(0);
  const Unit last = record_.last.load();
  (last != 0 ? claim(last).next : record_.first).store(cell);
  record_.last.store(cell);
  changed_ = true;
}

void Visit::prepend(Unit cell) noexcept {
  const Unit first = record_.first.load();
  claim(cell).next.store(first);
  record_.first.store(cell);
  if (first == 0) record_.last.store(cell);
  changed_ = true;
}

void Visit::unlink(Unit before, Unit cell) noexcept {
  const Unit next = claim(cell).next.load();
  (before != 0 ? claim(before).next : record_.first).store(next);
  if (next == 0) record_.last.store(before);
  changed_ = true;
}

bool Visit::remove(Unit cell) noexcept {
  Unit before = 0;
  for (Unit u = record_.first.load(); u != 0; u = claim(u).next.load()) {
    if (u == cell) {
      unlink(before, u);
      return true;
    }
    before = u;
  }
  return false;
}

Unit Visit::find(SlotIndex slot, std::uint64_t ticket) const noexcept {
  Unit u = record_.first.load();
  while (u != 0 &&
         (claim(u).block.owner.load() != slot || claim(u).ticket.load() != ticket)) {
    u = claim(u).next.load();
  }
  return u;
}

std::int64_t Visit::now() noexcept {
  if (now_ == 0) now_ = Clock::now().time_since_epoch().count();
  return now_;
}

bool Visit::over(const ClaimCell& claim) noexcept {
  if (claims_ended(segment_, claim.block.owner.load())) return true;
  if (claim.standing.load() != raw(Standing::granted)) return false;
  const auto ends = claim.lease_ends.load();
  return ends != std::numeric_limits<std::int64_t>::max() && ends <= now();
}

std::uint32_t Visit::capacity_for(const ClaimCell& claim) const noexcept {
  const bool stored =
      record_.kind.load() == static_cast<std::uint8_t>(engine::Kind::semaphore) &&
      record_.value.load() != 0;
  if (!stored) return claim.capacity.load();
  const auto number = segment_.at<ValueCell>(record_.value.load()).number.load();
  return number < 0 ? 0 : static_cast<std::uint32_t>(number);
}

void Visit::grant(Unit cell, Unit self) noexcept {
  auto& granted = claim(cell);
  granted.token.store(record_.token.fetch_add(1) + 1);
  granted.since.store(wall_seconds());
  const auto lease = granted.lease_ms.load();
  granted.lease_ends.store(lease == kUnleased
                               ? std::numeric_limits<std::int64_t>::max()
                               : now() + std::int64_t{lease} * 1'000'000);
  granted.standing.store(raw(Standing::granted));
  changed_ = true;
  if (cell != self) {
    ring_later({granted.signal.load(), granted.block.owner.load(), kRingWakers});
  }
}

void Visit::admit(Unit self) noexcept {
  thread_local std::vector<engine::Place> places;
  places.clear();
  if (const auto word = owner(); word != 0) {
    if (claims_ended(segment_, word_slot(word))) {
      clear_owner();
    } else {
      places.push_back({engine::Mode::exclusive, 1, true});
    }
  }
  const auto kind = static_cast<engine::Kind>(record_.kind.load());
  const bool all_count = kind == engine::Kind::double_barrier;
  const auto place_of = [](const ClaimCell& c) {
    return engine::Place{static_cast<engine::Mode>(c.mode.load()), c.permits.load(),
                         c.standing.load() == raw(Standing::granted)};
  };
  if (all_count) {
    for (Unit u = record_.first.load(); u != 0; u = claim(u).next.load()) {
      if (!over(claim(u))) places.push_back(place_of(claim(u)));
    }
  }
  std::size_t index = 0;
  Unit before = 0;
  for (Unit u = record_.first.load(); u != 0;) {
    auto& place = claim(u);
    const Unit next = place.next.load();
    if (over(place)) {
      unlink(before, u);
      end(u);
      u = next;
      continue;
    }
    if (!all_count) {
      places.push_back(place_of(place));
      index = places.size() - 1;
    }
    if (!places[index].granted) {
      if (!engine::admits(kind, capacity_for(place), places, index)) break;
      grant(u, self);
      places[index].granted = true;
    }
    ++index;
    before = u;
    u = next;
  }
}

void Visit::end(Unit cell) noexcept {
  auto& ended = claim(cell);
  const bool waited = ended.standing.load() == raw(Standing::waiting);
  ended.standing.store(raw(Standing::gone));
  changed_ = true;
  const auto slot = ended.block.owner.load();
  if (process_ended(segment_, slot)) return;
  if (waited) {
    ring_later({ended.signal.load(), slot, kRingWakers});
  } else {
    alarm(slot);
  }
}

void Visit::alarm(SlotIndex slot) noexcept { ring_later({0, slot, kAlarm}); }

void Visit::remove_all_of(SlotIndex ended) noexcept {
  if (word_slot(owner()) == ended) clear_owner();
  Unit before = 0;
  for (Unit u = record_.first.load(); u != 0;) {
    const Unit next = claim(u).next.load();
    if (claim(u).block.owner.load() == ended) {
      unlink(before, u);
    } else {
      before = u;
    }
    u = next;
  }
  before = 0;
  for (Unit w = record_.watches.load(); w != 0;) {
    const Unit next = segment_.at<Block>(w).link.load();
    if (segment_.at<Block>(w).owner.load() == ended) {
      (before != 0 ? segment_.at<Block>(before).link : record_.watches).store(next);
    } else {
      before = w;
    }
    w = next;
  }
  if (const Unit value = record_.value.load(); value != 0) {
    segment_.at<Block>(value).live.store(1);
    segment_.at<Block>(value).owner.store(0);
  }
  admit();
}

void Visit::ring(const Bell& bell) const noexcept {
  if (bell.signal != 0) {
    ring_signal(segment_, bell.signal);
  } else {
    ring_slot(segment_, bell.slot, bell.what);
  }
}

void Visit::ring_later(const Bell& bell) noexcept {
  if (bell_count_ == bells_.size()) {
    ring(bell);
  } else {
    bells_[bell_count_++] = bell;
  }
}

}  // namespace holdfast::local

#include <limits>
#include <new>
#include <vector>

#include "engines/local/bell.h"
#include "engines/local/visit.h"
#include "engines/local/ward.h"
#include "holdfast/clock.h"
#include "holdfast/engine/admission.h"

namespace holdfast::local {

std::int64_t Visit::now() noexcept {
  if (now_ == 0) now_ = Clock::now().time_since_epoch().count();
  return now_;
}

bool Visit::over(const ClaimCell& claim) noexcept {
  if (claims_of_slot_ended(segment_, claim.block.owner.load())) return true;
  if (claim.standing.load() != Standing::granted) return is_in_vain(claim);
  const auto ends = claim.lease_ends.load();
  return ends != std::numeric_limits<std::int64_t>::max() && ends <= now();
}

bool Visit::is_in_vain(const ClaimCell& claim) const noexcept {
  return record_.kind.load() == engine::Kind::semaphore &&
         claim.permits.load() > capacity_for(claim);
}

std::uint32_t Visit::capacity_for(const ClaimCell& claim) const noexcept {
  const bool stored =
      record_.kind.load() == engine::Kind::semaphore && record_.value.load() != 0;
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
  granted.standing.store(Standing::granted);
  changed_ = true;
  if (cell != self) {
    ring_later({granted.signal.load(), granted.block.owner.load(), kRingWakers});
  }
}

void Visit::admit(Unit self) noexcept {
  try {
    admit_in_order(self);
  } catch (const std::bad_alloc&) {
    // The grants so far stand, and the next process inside the record continues from
    // there.
  }
}

void Visit::admit_in_order(Unit self) {
  thread_local std::vector<engine::QueueEntry> places;
  places.clear();
  if (const auto word = owner(); word != 0) {
    if (claims_ended(segment_, word_session(word))) {
      clear_owner();
    } else {
      places.push_back({engine::Mode::exclusive, 1, true});
    }
  }
  const auto kind = record_.kind.load();
  const bool all_count = kind == engine::Kind::double_barrier;
  const auto place_of = [](const ClaimCell& c) {
    return engine::QueueEntry{c.mode.load(), c.permits.load(),
                              c.standing.load() == Standing::granted};
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
    // The list only changes under the guard, which is held here. If it grew in between,
    // the file is damaged.
    if (index >= places.size()) break;
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
  const bool waited = ended.standing.load() == Standing::waiting;
  ended.standing.store(Standing::gone);
  changed_ = true;
  const auto slot = ended.block.owner.load();
  if (witness_ended(segment_, slot)) return;
  if (waited) {
    ring_later({ended.signal.load(), slot, kRingWakers});
  } else {
    alarm(slot);
  }
}

void Visit::alarm(SlotIndex slot) noexcept { ring_later({0, slot, kAlarm}); }

}  // namespace holdfast::local

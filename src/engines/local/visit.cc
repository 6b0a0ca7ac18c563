#include "engines/local/visit.h"

#include <ctime>

#include "engines/local/bell.h"

namespace holdfast::local {
namespace {

// A mutex and a fair mutex of one name are one lock: in this engine both are ordered.
engine::Kind family(engine::Kind kind) {
  return kind == engine::Kind::fair_mutex ? engine::Kind::mutex : kind;
}

}  // namespace

std::uint32_t wall_seconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<std::uint32_t>(now.tv_sec);
}

Visit::Visit(Segment& segment, Spot spot, SessionId me,
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
  const auto now = owner() != 0 ? engine::Kind::mutex : record_.kind.load();
  if ((used || owner() != 0) && now != family(kind)) return false;
  if (!used) record_.kind.store(family(kind));
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

void Visit::append_unseen(Unit cell) noexcept {
  const bool changed = changed_;
  append(cell);
  changed_ = changed;
}

void Visit::remove_unseen(Unit cell) noexcept {
  const bool changed = changed_;
  remove(cell);
  changed_ = changed;
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

// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/guard.h"

#include <linux/futex.h>

#include <algorithm>
#include <string>

#include "engines/local/memory/cpu_pause.h"
#include "engines/local/memory/process.h"
#include "holdfast/clock.h"

namespace holdfast::local {
namespace {

constexpr std::uint32_t kWanted = std::uint32_t{1} << 31;
constexpr auto kRecheck = std::chrono::milliseconds(50);
constexpr auto kLongest = std::chrono::seconds(2);
constexpr int kSpins = 100;

SessionId holder(std::uint32_t word) { return word & ~kWanted; }

}  // namespace

bool liveness_thread_ended(const Segment& segment, SlotIndex slot) noexcept {
  const auto liveness = segment.slot(slot).liveness.load();
  return liveness == 0 || (liveness & FUTEX_OWNER_DIED) != 0;
}

bool process_ended(const Segment& segment, SlotIndex index,
                   std::chrono::milliseconds limit) noexcept {
  auto& slot = segment.slot(index);
  if (!liveness_thread_ended(segment, index)) return false;
  if (slot.liveness.load() == 0 || slot.gone.load() != 0) return true;
  const auto now = Clock::now().time_since_epoch().count();
  std::int64_t seen = 0;
  if (slot.died.cas(seen, now)) seen = now;
  const bool in_time = now - seen < std::chrono::nanoseconds(kLongest).count();
  const auto pid = static_cast<pid_t>(slot.pid.load());
  if (in_time && is_dying(pid, slot.born.load(), limit)) return false;
  slot.gone.store(1);
  return true;
}

bool session_ended(const Segment& segment, SessionId session) noexcept {
  const SlotIndex slot = slot_of(session);
  return segment.slot(slot).id.load() != session || process_ended(segment, slot);
}

SlotIndex slot_inside(const Word& guard) noexcept {
  return slot_of(holder(guard.load()));
}

Guard::Guard(Word& word, SessionId me) noexcept : word_(word) {
  std::uint32_t free = 0;
  entered_ = word_.cas(free, me);
}

Guard::Guard(const Segment& segment, Word& word, SessionId me,
             engine::Deadline until) noexcept
    : Guard(word, me) {
  if (!entered_) wait_for_turn(segment, me, until);
}

void Guard::wait_for_turn(const Segment& segment, SessionId me,
                          engine::Deadline until) noexcept {
  for (int i = 0; i < kSpins; ++i) {
    std::uint32_t free = 0;
    if (word_.load() == 0 && word_.cas(free, me)) {
      entered_ = true;
      return;
    }
    cpu_pause();
  }
  const auto start = Clock::now();
  const auto limit =
      std::clamp<engine::Deadline>(until, start + 2 * kRecheck, start + kLongest);
  for (auto now = start; now < limit; now = Clock::now()) {
    std::uint32_t seen = word_.load();
    if (seen == 0 || session_ended(segment, holder(seen))) {
      // Other threads may sleep on this word, so the wanted bit stays set.
      if (!word_.cas(seen, me | kWanted)) continue;
      entered_ = true;
      inherited_ = seen != 0;
      return;
    }
    if ((seen & kWanted) == 0 && !word_.cas(seen, seen | kWanted)) continue;
    futex_wait(word_, seen | kWanted, std::min(limit, now + kRecheck));
  }
}

void Guard::leave() noexcept {
  if (!entered_) return;
  entered_ = false;
  if ((word_.exchange(0) & kWanted) != 0) futex_wake(word_);
}

Failure stuck(const Segment& segment, const Word& guard) {
  const auto pid = segment.slot(slot_inside(guard)).pid.load();
  return {Errc::unavailable, "process " + std::to_string(pid) +
                                 " has been inside an update of " + segment.path() +
                                 " for too long: let it go on if it is stopped, or "
                                 "end it"};
}

}  // namespace holdfast::local

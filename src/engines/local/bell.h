// engines/local/bell.h - waking a thread of any process on this host.

#pragma once

#include "engines/local/segment.h"

namespace holdfast::local {

// The word of a SignalCell.
inline constexpr std::uint32_t kQuiet = 0;
inline constexpr std::uint32_t kRung = 1;
inline constexpr std::uint32_t kAsleep = 2;

// Bits of Slot::control: what its witness thread is to do.
inline constexpr std::uint32_t kRingWakers = 1;  // a place of this session was granted
inline constexpr std::uint32_t kAlarm = 2;       // a claim of this session was ended
inline constexpr std::uint32_t kLookRound = 4;   // there is a new neighbour

inline void ring_slot(const Segment& segment, SlotIndex slot,
                      std::uint32_t what) noexcept {
  auto& control = segment.slot(slot).control;
  control.fetch_or(what);
  futex_wake(control);
}

// One system call if somebody sleeps there, none otherwise.
inline void ring_signal(const Segment& segment, Unit signal) noexcept {
  auto& word = segment.at<SignalCell>(signal).word;
  if (word.exchange(kRung) == kAsleep) futex_wake(word);
}

}  // namespace holdfast::local

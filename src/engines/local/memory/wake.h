// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/wake.h - wakes a thread of any process on this host.

#pragma once

#include "engines/local/memory/segment.h"

namespace holdfast::local {

// These are the values of a SignalCell's word.
inline constexpr std::uint32_t kQuiet = 0;
inline constexpr std::uint32_t kRung = 1;
inline constexpr std::uint32_t kAsleep = 2;

// These are bits of Slot::control. They tell the session's liveness thread what to do.
inline constexpr std::uint32_t kRingWakers = 1;  // A watch of this session is to be
                                                 // rung.
inline constexpr std::uint32_t kAlarm = 2;       // A claim of this session was ended.
inline constexpr std::uint32_t kCheckSlots = 4;  // The thread looks at all slots,
                                                 // because there is a new neighbour.

inline constexpr std::uint32_t kClaimReady = 8;  // The slot names a claim that waits no
                                                 // longer.
inline constexpr std::uint32_t kAllClaims = 16;  // There are more such claims.

inline void ring_slot(const Segment& segment, SlotIndex slot,
                      std::uint32_t what) noexcept {
  auto& control = segment.slot(slot).control;
  control.fetch_or(what);
  futex_wake(control);
}

// Tells a session that one of its claims waits no longer. A session that is told of
// several before it looks has to look at all of them.
inline void ring_claim(const Segment& segment, SlotIndex slot,
                       BlockIndex cell) noexcept {
  BlockIndex none = 0;
  const bool named = segment.slot(slot).ready.cas(none, cell);
  ring_slot(segment, slot, named ? kClaimReady : kAllClaims);
}

// This is one system call if a thread sleeps there, and none otherwise.
inline void ring_signal(const Segment& segment, BlockIndex signal) noexcept {
  auto& word = segment.at<SignalCell>(signal).word;
  if (word.exchange(kRung) == kAsleep) futex_wake(word);
}

}  // namespace holdfast::local

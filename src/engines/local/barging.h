// SPDX-License-Identifier: Apache-2.0

// engines/local/barging.h - when a running thread may take a mutex before a sleeping
// one.
//
// To wake a thread takes longer than many critical sections. So a released mutex is not
// always handed to the first waiter, the head: it is freed, the head is rung, and until
// the head has come, threads that run may take the lock and give it back. This is
// bounded: when a thread has been the head for kHandOverAfter, the next release hands
// the lock over to it. So sections that are longer than that are served in order of
// arrival.
//
// A head that was rung and finds the lock taken watches it for kHeadSpin before it
// sleeps again, so that it is awake when the lock is handed over.
//
// The lock is not handed over for good before its new holder has seen it: if that does
// not come for kLate (its process is stopped), the next waiter gets the lock.
//
// A fair mutex never barges, and no mutex does while a fair one is in the queue.

#pragma once

#include <chrono>

#include "engines/local/memory/segment.h"
#include "holdfast/clock.h"

namespace holdfast::local {

// A section of 100 us is thus repeated once before the lock is handed over, by when the
// head is awake.
inline constexpr auto kHandOverAfter = std::chrono::microseconds(150);

// A wake-up takes some 20 us, and a sleep costs the next release another one.
inline constexpr auto kHeadSpin = std::chrono::microseconds(100);

// A healthy thread comes sooner even on a crowded processor.
inline constexpr auto kLate = std::chrono::milliseconds(100);

// Returns the time on CLOCK_BOOTTIME in us, modulo 2^32. If a span is taken for a
// shorter one after that time, a lock is handed over or offered to the next claim late,
// once.
inline std::uint32_t boot_time_us() noexcept {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(
          Clock::now().time_since_epoch())
          .count());
}
inline std::chrono::microseconds passed_since(
    const Shared<std::uint32_t>& time) noexcept {
  return std::chrono::microseconds(
      static_cast<std::uint32_t>(boot_time_us() - time.load()));
}

// Returns whether the next release must hand the lock over to the head.
inline bool head_is_due(const Record& record) noexcept {
  return passed_since(record.head_since) >= kHandOverAfter;
}

// Returns whether the claim has been offered the lock for so long that its process must
// be stopped.
inline bool is_late(const Record& record, const ClaimCell& claim) noexcept {
  return claim.phase.load() == ClaimPhase::offered &&
         passed_since(record.offered_since) > kLate;
}

// Returns whether a waiter must look after the lock: it has been open for so long that
// the head must be stopped, or was never rung because the process that should have done
// it was killed; or a claim is late.
inline bool needs_look(const Segment& segment, const Record& record) noexcept {
  if ((record.word.load() & kOpen) != 0) {
    return passed_since(record.head_since) > kLate;
  }
  const BlockIndex first = record.first.load();
  return first != 0 && is_late(record, segment.at<ClaimCell>(first));
}

}  // namespace holdfast::local

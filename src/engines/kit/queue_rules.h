// SPDX-License-Identifier: Apache-2.0

// engines/kit/queue_rules.h - what follows from the admission rule for a queue.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "holdfast/engine/admission.h"

namespace holdfast::kit {

// What a claim that `engine::admits` refuses has to wait for. Entries may leave the
// queue and new ones may join its end. Then the claim is still refused
//   * while `entry` is in the queue and keeps its mode,
//   * while fewer than `ends` of the entries that were there have left it, if those
//     that stay keep their permits. The end of some `ends` of them is enough.
// A waiter that listens to `entry` alone misses nothing. Where `entry` is nothing, any
// of several ends may be the one that counts; where `ends` is zero as well, others have
// to come, as at a double barrier.
struct Obstacle {
  // The nearest one in the queue, so that not all waiters listen to the same entry.
  std::optional<std::size_t> entry = {};
  std::size_t ends = 0;
};

// The arguments are those of `engine::admits`, which has answered false.
Obstacle find_obstacle(engine::Kind kind, std::uint32_t capacity,
                       std::span<const engine::QueueEntry> queue, std::size_t index);

// For a survey, where the queue alone says what is granted: marks every entry that
// `engine::admits` lets in, beside those that are marked already. Whether a double
// barrier is open cannot be seen from its queue, so its entries stay as they are.
void mark_granted(engine::Kind kind, std::uint32_t capacity,
                  std::span<engine::Entry> entries);

// After how long a waiter with so many entries ahead looks again although nothing was
// heard. The longer the queue, the more waiters would read it, so they look less often.
std::chrono::nanoseconds pause_behind(std::size_t ahead);

}  // namespace holdfast::kit

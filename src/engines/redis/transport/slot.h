// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/slot.h - the slots of a Redis Cluster.
//
// Each key belongs to one of 16,384 slots, and each slot to one primary. A script can
// only be called with keys of one slot.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::redis {

using Slot = std::uint16_t;
inline constexpr std::size_t kSlots = 16'384;

// Returns the slot of a key or of a shard channel. If the key has a tag, which is what
// stands between its first '{' and the next '}' and is not empty, the tag alone counts.
Slot slot_of(std::string_view key) noexcept;

// Returns the tag of our own channels in a slot: the smallest number whose decimal
// digits belong to the slot. It is part of the layout, so that all clients agree on it.
const std::string& tag_of(Slot slot);

}  // namespace holdfast::redis

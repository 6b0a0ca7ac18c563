// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/layout.h - the bytes of a segment, in version 3 of the layout.
//
//   | header, 1 page | slots, 4096 x 64 B | buckets, 65536 x 4 B | blocks ... |
//
// There are no pointers: a position in the file is a BlockIndex, counted in units of 64
// bytes from its start.
//
// Everything that outlives one call is a block. A block is carved once and keeps its
// shape for ever; `live` and `owner` say what it is now. Everything else (name chains,
// free lists) can be built again from the blocks alone, so it needs no protection from
// a crash. The remaining data is changed by single stores, each of which leaves a
// complete state:
//
//   a record      the word (free, or its plain owner), the list of claims, the register
//   a claim       waiting -> (offered ->) granted -> gone
//
// The word of a record, while `kQueued` is not set, is its whole state: free (slot 0,
// with the record's generation) or held by <session, ticket>. Then lock and unlock are
// one compare-and-swap each. While `kQueued` is set, the word changes only under the
// guard, unless `kOpen` is set, too: then claims wait, no claim of the list is granted,
// and the lock may still be taken and given back by compare-and-swap, because the
// first waiter is awake and will look at the word before it sleeps. Entering the guard
// clears `kOpen`, so inside it the word stands still.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engines/local/memory/futex.h"
#include "engines/local/memory/shared.h"
#include "holdfast/engine/claim.h"

namespace holdfast::local {

using BlockIndex = std::uint32_t;  // 0 means none
using SlotIndex = std::uint16_t;   // 1..kSlots-1; 0 means none

// A SessionId names a session for as long as it lives: | epoch, 12 bits | slot, 12 bits
// |; 0 means none. Slots are reused, and what is left of an ended session must not be
// taken for the next session's.
using SessionId = std::uint32_t;
inline constexpr std::size_t kUnitBytes = 64;

inline constexpr std::uint64_t kMagic = 0x31545341'46444c48;  // "HLDFAST1"
inline constexpr std::uint32_t kVersion = 3;

inline constexpr std::size_t kSlots = 4096;
inline constexpr std::size_t kBuckets = 65536;
inline constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxPayload = 256;

// A signal may be rung late, after its owner is gone, so its block is never reused for
// another shape.
enum class Shape : std::uint8_t { none, record, long_record, cell, text, signal };
inline constexpr std::size_t kShapes = 6;
constexpr BlockIndex units_of(Shape shape) {
  constexpr std::array<BlockIndex, kShapes> kUnits{0, 3, 10, 1, 5, 1};
  // The shape is read from the file, where another user may have written anything.
  return static_cast<std::size_t>(shape) < kShapes
             ? kUnits[static_cast<std::size_t>(shape)]
             : 0;
}
constexpr bool is_record(Shape shape) {
  return shape == Shape::record || shape == Shape::long_record;
}

struct Block {
  Shared<Shape> shape;
  Shared<std::uint8_t> live;
  Shared<std::uint16_t> owner;  // the slot whose session's death frees the block, or 0
  Shared<BlockIndex> link;      // the next free block, record of the bucket, or watch
};

struct Record {
  Block block;
  Shared<std::uint64_t> word;
  Word guard;
  Shared<std::uint32_t> generation;
  Shared<std::uint64_t> token;  // the last token given; it also counts register
                                // versions
  Shared<std::uint32_t> since;  // when the plain owner got it, wall clock in s
  Shared<BlockIndex> first;     // the claims, in order of arrival
  Shared<BlockIndex> last;      // a hint, rebuilt on recovery
  Shared<BlockIndex> value;     // the register, or 0
  Shared<BlockIndex> watches;
  std::uint32_t hash;
  Shared<engine::Kind> kind;   // valid while kQueued is set
  Shared<std::uint8_t> flags;  // kStrict, kHeadAwake
  std::uint16_t name_bytes;
  Shared<BlockIndex> head;           // the first claim that waits, or 0; and when this
  Shared<std::uint32_t> head_since;  // changed, CLOCK_BOOTTIME in us
  Shared<std::uint32_t> offered_since;  // likewise; valid while a claim is offered
  char name[1];                         // It extends to the end of the block.
};
inline constexpr std::size_t kNameOffset = offsetof(Record, name);
inline constexpr std::size_t kShortName = 3 * kUnitBytes - kNameOffset;
static_assert(kNameOffset + 512 <= 10 * kUnitBytes);

// These are bits of Record::flags; they change under the guard. A claim of a fair mutex
// makes a record strict until its list is empty. The head is awake from when it is rung
// to when it says that it will sleep.
inline constexpr std::uint8_t kStrict = 1;
inline constexpr std::uint8_t kHeadAwake = 2;

// The lock is offered to a claim whose owner sleeps; the owner accepts it by changing
// the phase to granted. An offer that was not accepted in time is withdrawn: the claim
// is passed over. It is then not in the list, and its owner appends it again.
enum class ClaimPhase : std::uint8_t { waiting, granted, gone, offered, passed };
constexpr bool has_lock(ClaimPhase phase) {
  return phase == ClaimPhase::granted || phase == ClaimPhase::offered;
}

struct ClaimCell {
  Block block;
  Shared<std::uint64_t> ticket;
  Shared<std::uint64_t> token;
  Shared<std::int64_t> lease_ends;  // CLOCK_BOOTTIME in ns; the maximum means with its
                                    // owner
  Shared<std::uint32_t> lease_ms;   // as requested; kUnleased means that it ends with
                                    // its owner
  Shared<std::uint32_t> since;      // wall clock in s
  Shared<BlockIndex> next;          // in order of arrival
  Shared<BlockIndex> signal;        // 0 means that the session is rung
  Shared<BlockIndex> payload;       // 0 means the session's
  Shared<std::uint32_t> permits;
  Shared<std::uint32_t> capacity;
  Shared<ClaimPhase> phase;
  Shared<engine::Mode> mode;
};
inline constexpr std::uint32_t kUnleased = 0xffffffff;
static_assert(sizeof(ClaimCell) == kUnitBytes);

struct ValueCell {
  Block block;
  Shared<std::int64_t> number;
  Shared<std::uint64_t> version;
};

struct SignalCell {
  Block block;
  Word word;
};

struct WatchCell {
  Block block;
  Shared<BlockIndex> signal;
};

struct TextBlock {
  Block block;
  Shared<std::uint32_t> bytes;
  char text[kMaxPayload];
};
static_assert(sizeof(TextBlock) <= 5 * kUnitBytes);

// A slot is one session. `liveness` is a robust futex word of its liveness thread: the
// kernel marks it when that thread ends, however it ends.
struct Slot {
  Word liveness;
  Word control;  // wakes the liveness thread
  Shared<std::uint8_t> live;
  Shared<std::uint8_t> has_liveness_fd;  // Claims also live while its OFD lock is held.
  Shared<std::uint8_t> gone;  // Nothing of the process is left that could act.
  Shared<BlockIndex> payload;
  Shared<std::uint32_t> pid;
  std::array<std::uint8_t, 16> client;
  Shared<BlockIndex> ready;     // a claim that waits no longer and whose waker is not
                                // rung yet; 0 means none
  Shared<std::uint64_t> born;   // the start time of the process from /proc; 0 means not
                                // known
  Shared<std::int64_t> died;    // when its liveness thread was seen to have ended,
                                // CLOCK_BOOTTIME in ns
  Shared<std::uint32_t> epoch;  // how often the slot was given to a session
  Shared<SessionId> id;         // the session that has it; 0 means that the session was
                                // ended
};
static_assert(sizeof(Slot) <= kUnitBytes);

struct Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t unused;
  std::array<char, 40> boot;    // the host's boot when its sessions were last alive
  Shared<std::uint64_t> floor;  // Every new record's tokens start above it.
  Word guard;                   // the guard of names, blocks and slots
  Shared<BlockIndex> units;     // units in the file
  Shared<BlockIndex> used;      // units that are carved
  Shared<std::uint32_t> slots;  // the highest slot ever used
  std::array<Shared<BlockIndex>, kShapes> free;
};

inline constexpr std::size_t kSlotsAt = 4096;
inline constexpr std::size_t kBucketsAt = kSlotsAt + kSlots * kUnitBytes;
inline constexpr std::size_t kBlocksAt = kBucketsAt + kBuckets * sizeof(BlockIndex);
inline constexpr BlockIndex kFirstBlock = kBlocksAt / kUnitBytes;
static_assert(sizeof(Header) <= kSlotsAt && kBlocksAt % 4096 == 0);

inline constexpr int kSlotBits = 12;
inline constexpr std::uint32_t kSlotMask = (1 << kSlotBits) - 1;
static_assert(kSlots == std::size_t{1} << kSlotBits);
constexpr SessionId session_id(SlotIndex slot, std::uint32_t epoch) {
  return (epoch & kSlotMask) << kSlotBits | slot;
}
constexpr SlotIndex slot_of(SessionId session) {
  return static_cast<SlotIndex>(session & kSlotMask);
}

// The word is | session, 24 bits | ticket or generation, 38 bits | kOpen | kQueued |.
inline constexpr std::uint64_t kQueued = 1;
inline constexpr std::uint64_t kOpen = 2;
inline constexpr std::uint64_t kWordFlags = kQueued | kOpen;
inline constexpr int kTicketAt = 2;
inline constexpr int kSessionAt = 40;
inline constexpr std::uint64_t kTicketMask =
    (std::uint64_t{1} << (kSessionAt - kTicketAt)) - 1;
constexpr std::uint64_t free_word(std::uint32_t generation) {
  return std::uint64_t{generation} << kTicketAt;
}
constexpr std::uint64_t owned_word(SessionId session, std::uint64_t ticket) {
  return (std::uint64_t{session} << kSessionAt) | ((ticket & kTicketMask) << kTicketAt);
}
// Returns the word's <session, ticket>, or the generation of a free lock.
constexpr std::uint64_t without_flags(std::uint64_t word) { return word & ~kWordFlags; }
constexpr SessionId word_session(std::uint64_t word) {
  return static_cast<SessionId>(word >> kSessionAt);
}
constexpr SlotIndex word_slot(std::uint64_t word) {
  return slot_of(word_session(word));
}
constexpr std::uint64_t word_ticket(std::uint64_t word) {
  return (word >> kTicketAt) & kTicketMask;
}

}  // namespace holdfast::local

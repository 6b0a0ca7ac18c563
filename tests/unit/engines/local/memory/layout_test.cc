// SPDX-License-Identifier: Apache-2.0

#include "engines/local/memory/layout.h"

#include <gtest/gtest.h>

#include <limits>

namespace holdfast::local {
namespace {

constexpr SlotIndex kLastSlot = kSlots - 1;

TEST(LocalLayout, AWordNamesItsSessionAndTicket) {
  for (const SlotIndex slot : {SlotIndex{1}, SlotIndex{77}, kLastSlot}) {
    for (const std::uint32_t epoch : {1U, 4095U, 4096U}) {
      for (const std::uint64_t ticket : {std::uint64_t{1}, kTicketMask}) {
        const auto session = session_id(slot, epoch);
        const auto word = owned_word(session, ticket);
        EXPECT_EQ(word_session(word), session);
        EXPECT_EQ(word_slot(word), slot);
        EXPECT_EQ(word_ticket(word), ticket);
        EXPECT_EQ(word & kWordFlags, 0U);
        EXPECT_EQ(without_flags(word | kWordFlags), word);
        EXPECT_EQ(word_session(word | kWordFlags), session);
        EXPECT_EQ(word_ticket(word | kWordFlags), ticket);
      }
    }
  }
}

TEST(LocalLayout, AFreeWordHasNoSession) {
  for (const std::uint32_t generation :
       {0U, 1U, std::numeric_limits<std::uint32_t>::max()}) {
    EXPECT_EQ(word_slot(free_word(generation)), 0);
    EXPECT_EQ(word_session(free_word(generation)), 0U);
    EXPECT_EQ(free_word(generation) & kWordFlags, 0U);
    EXPECT_EQ(word_ticket(free_word(generation)), generation);
  }
}

TEST(LocalLayout, TheNextSessionOfASlotHasAnotherId) {
  EXPECT_NE(session_id(5, 1), session_id(5, 2));
  EXPECT_EQ(slot_of(session_id(5, 1)), slot_of(session_id(5, 2)));
}

// A later version of the library finds the fields of a file where this one left them.
TEST(LocalLayout, TheFieldsStayWhereTheyAre) {
  EXPECT_EQ(offsetof(Header, boot), 16U);
  EXPECT_EQ(offsetof(Header, guard), 64U);
  EXPECT_EQ(offsetof(Header, free), 80U);
  EXPECT_EQ(offsetof(Record, word), 8U);
  EXPECT_EQ(offsetof(Record, token), 24U);
  EXPECT_EQ(offsetof(Record, head), 60U);
  EXPECT_EQ(kNameOffset, 72U);
  EXPECT_EQ(offsetof(ClaimCell, next), 40U);
  EXPECT_EQ(offsetof(ClaimCell, phase), 60U);
  EXPECT_EQ(offsetof(Slot, control), 4U);
  EXPECT_EQ(offsetof(Slot, id), 60U);
  EXPECT_EQ(kSlotsAt, 4096U);
  EXPECT_EQ(kBucketsAt, 266240U);
  EXPECT_EQ(kBlocksAt, 528384U);
}

TEST(LocalLayout, AShapeThatDoesNotExistHasNoSize) {
  EXPECT_EQ(units_of(Shape::none), 0U);
  EXPECT_EQ(units_of(static_cast<Shape>(200)), 0U);
}

}  // namespace
}  // namespace holdfast::local

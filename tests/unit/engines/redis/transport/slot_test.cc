// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/slot.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast::redis {
namespace {

// A server answers the same to CLUSTER KEYSLOT.
TEST(RedisSlotTest, IsTheOneThatTheServersCompute) {
  EXPECT_EQ(slot_of("123456789"), 0x31c3);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("bar"), 5061);
  EXPECT_EQ(slot_of(""), 0);
  EXPECT_EQ(slot_of("\xff\x80"), slot_of(std::string_view("x{\xff\x80}")));
}

TEST(RedisSlotTest, OnlyTheFirstTagCounts) {
  EXPECT_EQ(slot_of("{foo}"), slot_of("foo"));
  EXPECT_EQ(slot_of("holdfast:{foo}:a"), slot_of("foo"));
  EXPECT_EQ(slot_of("{foo}{bar}"), slot_of("foo"));
  EXPECT_EQ(slot_of("a{{foo}}"), slot_of("{foo"));
  EXPECT_NE(slot_of("{}foo"), slot_of("foo")) << "an empty tag is no tag";
  EXPECT_NE(slot_of("{foo"), slot_of("foo")) << "the tag has no end";
  EXPECT_EQ(slot_of("}{foo}"), slot_of("foo"));
}

TEST(RedisSlotTest, EverySlotHasATagOfItsOwn) {
  std::set<std::string> seen;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const auto& tag = tag_of(static_cast<Slot>(slot));
    ASSERT_EQ(slot_of("holdfast_bell:{" + tag + "}:a"), slot);
    seen.insert(tag);
  }
  EXPECT_EQ(seen.size(), kSlots);
}

}  // namespace
}  // namespace holdfast::redis

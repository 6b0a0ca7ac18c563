// SPDX-License-Identifier: Apache-2.0

#include "holdfast/engine/claim.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace holdfast::inline v0::engine {
namespace {

TEST(ClaimTest, IsPlainData) {
  EXPECT_TRUE(std::is_trivially_copyable_v<Claim>);
  EXPECT_TRUE(std::is_aggregate_v<Claim>);
}

TEST(ClaimTest, AWriterPassesWithATokenAboveAllBefore) {
  struct Asked {
    std::uint64_t token;
    std::uint64_t last;
    bool writer;
    bool reader;
  };
  constexpr Asked kAsked[] = {
      {.token = 4, .last = 5, .writer = false, .reader = false},
      {.token = 5, .last = 5, .writer = false, .reader = true},
      {.token = 6, .last = 5, .writer = true, .reader = true},
      {.token = 1, .last = 0, .writer = true, .reader = true},
      {.token = ~0ULL, .last = ~0ULL, .writer = false, .reader = true},
  };
  for (const Asked& row : kAsked) {
    const Claim writer{.token = {row.token}, .mode = Mode::exclusive};
    const Claim reader{.token = {row.token}, .mode = Mode::shared};
    EXPECT_EQ(passes(writer, {row.last}), row.writer)
        << row.token << " after " << row.last;
    EXPECT_EQ(passes(reader, {row.last}), row.reader)
        << row.token << " after " << row.last;
  }
}

TEST(ClaimTest, ARegisterMatchesItsNumberAndItsVersion) {
  constexpr Value kAbsent{};
  struct Expected {
    Value from;
    Value now;
    bool is_as_expected;
  };
  constexpr Expected kExpected[] = {
      {kAbsent, kAbsent, true},
      {kAbsent, {0, 7}, false},
      {kAbsent, {5, 7}, false},
      {{5, 0}, kAbsent, true},  // Without a version, the number means nothing.
      {{5, 0}, {5, 7}, false},
      {{5, 7}, {5, 7}, true},
      {{5, 7}, {5, 8}, false},  // It changed, and changed back.
      {{5, 7}, {6, 7}, false},
      {{5, 7}, kAbsent, false},
      {{5, kAnyVersion}, {5, 7}, true},
      {{5, kAnyVersion}, {5, 8}, true},
      {{5, kAnyVersion}, {6, 7}, false},
      {{0, kAnyVersion}, {0, 7}, true},
      {{0, kAnyVersion}, kAbsent, false},
  };
  for (const Expected& row : kExpected) {
    EXPECT_EQ(matches(row.from, row.now), row.is_as_expected)
        << row.from.number << " of version " << row.from.version << ", "
        << row.now.number << " of version " << row.now.version;
  }
}

}  // namespace
}  // namespace holdfast::inline v0::engine

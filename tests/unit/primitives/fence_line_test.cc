// SPDX-License-Identifier: Apache-2.0

#include "primitives/fence_line.h"

#include <gtest/gtest.h>

namespace holdfast::primitives {
namespace {

TEST(FenceLineTest, IsReadAsItWasWritten) {
  for (const std::uint64_t value : {0ull, 1ull, 184ull, ~0ull}) {
    const auto line = write_fence_line({value});
    EXPECT_EQ(line.size(), kFenceLineBytes);
    EXPECT_EQ(line.back(), '\n');
    ASSERT_TRUE(read_fence_line(line));
    EXPECT_EQ(read_fence_line(line)->value, value);
  }
}

TEST(FenceLineTest, ShowsEveryDamagedByte) {
  const auto line = write_fence_line({184});
  for (std::size_t i = 0; i < line.size(); ++i) {
    auto damaged = line;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(read_fence_line(damaged)) << "byte " << i;
    EXPECT_FALSE(read_fence_line(line.substr(0, i))) << "cut at " << i;
  }
}

}  // namespace
}  // namespace holdfast::primitives

// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/receipt_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace holdfast::kit {
namespace {

TEST(ReceiptTextTest, IsReadAsItWasWritten) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{42}, kLeast}) {
    const auto value = read_receipt_text(receipt_text("17", number), "17", 5);
    ASSERT_TRUE(value);
    EXPECT_EQ(value->number, number);
    EXPECT_EQ(value->version, 5U);
  }
}

TEST(ReceiptTextTest, AnErasedRegisterIsAbsent) {
  const auto value = read_receipt_text(receipt_text("17", std::nullopt), "17", 5);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->version, 0U);
}

TEST(ReceiptTextTest, SpeaksOfOneTicketAlone) {
  EXPECT_FALSE(read_receipt_text("17 42", "1", 5));
  EXPECT_FALSE(read_receipt_text("17 42", "172", 5));
  EXPECT_FALSE(read_receipt_text("17", "18", 5));
  EXPECT_FALSE(read_receipt_text("", "17", 5));
}

}  // namespace
}  // namespace holdfast::kit

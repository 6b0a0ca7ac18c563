// SPDX-License-Identifier: Apache-2.0

#include "holdfast/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace holdfast {
namespace {

TEST(ResultTest, EveryCodeHasItsOwnSentence) {
  std::set<std::string> seen;
  for (int i = 1; i <= static_cast<int>(Errc::internal); ++i) {
    const auto text = make_error_code(static_cast<Errc>(i)).message();
    EXPECT_EQ(text.find("unknown error"), std::string::npos) << i;
    EXPECT_TRUE(seen.insert(text).second) << text;
  }
  EXPECT_EQ(error_category().message(999), "unknown error 999");
}

TEST(ResultTest, CodesCompareWithTheStandardsConditions) {
  EXPECT_EQ(make_error_code(Errc::timed_out), std::errc::timed_out);
  EXPECT_EQ(make_error_code(Errc::cancelled), std::errc::operation_canceled);
  EXPECT_NE(make_error_code(Errc::not_held), std::errc::timed_out);
}

TEST(ResultTest, AFailurePrefersItsContext) {
  EXPECT_EQ(Failure(Errc::full, "the disk is full").message(), "the disk is full");
  EXPECT_EQ(Failure(Errc::full).message(), make_error_code(Errc::full).message());
}

TEST(ResultTest, HoldsAValueOrThrowsTheFailure) {
  Result<std::unique_ptr<int>> good = std::make_unique<int>(5);
  EXPECT_EQ(**good, 5);
  EXPECT_EQ(*std::move(good).value(), 5);

  Result<int> bad = Failure(Errc::denied, "no");
  try {
    (void)bad.value();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::denied);
    EXPECT_EQ(error.failure().context, "no");
    EXPECT_STREQ(error.what(), "no");  // the context once, without the code's sentence
  }
  EXPECT_THROW(Result<void>(Errc::closed).value(), std::system_error);
  EXPECT_NO_THROW(Result<void>().value());
}

TEST(ResultTest, AFailureComparesWithCodes) {
  const Result<int> bad = Failure(Errc::timed_out, "too late");
  EXPECT_TRUE(bad.error() == Errc::timed_out);
  EXPECT_TRUE(bad.error() != Errc::cancelled);
  EXPECT_TRUE(bad.error() == make_error_code(Errc::timed_out));
}

TEST(ResultTest, AConstantResultGivesItsValue) {
  const Result<int> good = 5;
  EXPECT_EQ(good.value(), 5);
  EXPECT_EQ(good.value_or(7), 5);
  const Result<int> bad = Errc::closed;
  EXPECT_THROW((void)bad.value(), Error);
  EXPECT_EQ(bad.value_or(7), 7);
}

TEST(ResultTest, ValueOrMovesWhatItGives) {
  Result<std::unique_ptr<int>> good = std::make_unique<int>(5);
  EXPECT_EQ(*std::move(good).value_or(nullptr), 5);
}

TEST(ResultTest, AndThenGoesOnOnlyWithAValue) {
  const auto half = [](int n) -> Result<int> {
    if (n % 2 != 0) return Errc::bad_argument;
    return n / 2;
  };
  EXPECT_EQ(Result<int>(8).and_then(half).and_then(half).value(), 2);
  EXPECT_TRUE(Result<int>(6).and_then(half).and_then(half).error() ==
              Errc::bad_argument);
  EXPECT_TRUE(Result<int>(Errc::closed).and_then(half).error() == Errc::closed);
  EXPECT_EQ(Result<void>().and_then([] { return Result<int>(3); }).value(), 3);
}

TEST(ResultTest, TransformKeepsTheFailure) {
  const auto text = [](int n) { return std::to_string(n); };
  EXPECT_EQ(Result<int>(8).transform(text).value(), "8");
  EXPECT_EQ(Result<int>(Failure(Errc::full, "no room")).transform(text).error().context,
            "no room");
}

}  // namespace
}  // namespace holdfast

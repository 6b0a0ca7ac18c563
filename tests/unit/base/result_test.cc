// SPDX-License-Identifier: Apache-2.0

#include "holdfast/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

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

TEST(ResultTest, TransformTakesAFunctionThatReturnsNothing) {
  int seen = 0;
  const auto note = [&seen](int n) { seen = n; };
  const Result<void> noted = Result<int>(8).transform(note);
  EXPECT_TRUE(noted);
  EXPECT_EQ(seen, 8);
  const Result<void> failed = Result<int>(Errc::closed).transform(note);
  EXPECT_TRUE(failed.error() == Errc::closed);
  EXPECT_EQ(seen, 8);
}

TEST(ResultTest, AResultWithoutAValueIsTransformed) {
  EXPECT_EQ(Result<void>().transform([] { return 3; }).value(), 3);
  int calls = 0;
  EXPECT_TRUE(Result<void>().transform([&] { ++calls; }));
  const Result<void> bad = Failure(Errc::full, "no room");
  EXPECT_EQ(bad.transform([&] { ++calls; }).error().context, "no room");
  EXPECT_EQ(calls, 1);
}

TEST(ResultTest, TheFunctionsChangeOrTakeTheValue) {
  Result<std::string> word = std::string("ab");
  EXPECT_EQ(
      word.transform([](std::string& text) { return (text += "c").size(); }).value(),
      3U);
  EXPECT_EQ(*word, "abc");
  const auto end = [](std::string& text) { return Result<char>(text.back()); };
  EXPECT_EQ(word.and_then(end).value(), 'c');

  Result<std::unique_ptr<int>> number = std::make_unique<int>(5);
  // A function of any argument is called with the value that is given, and no other.
  const auto take = [](auto&& from) {
    return std::unique_ptr<int>(std::forward<decltype(from)>(from));
  };
  EXPECT_EQ(**std::move(number).transform(take), 5);
}

TEST(ResultTest, OrElseGoesOnOnlyWithAFailure) {
  const auto zero_if_closed = [](const Failure& why) -> Result<int> {
    if (why == Errc::closed) return 0;
    return why;
  };
  EXPECT_EQ(Result<int>(8).or_else(zero_if_closed).value(), 8);
  EXPECT_EQ(Result<int>(Errc::closed).or_else(zero_if_closed).value(), 0);
  EXPECT_TRUE(Result<int>(Errc::full).or_else(zero_if_closed).error() == Errc::full);

  const auto forgive = [](const Failure&) { return Result<void>(); };
  const Result<void> bad = Errc::not_held;
  EXPECT_TRUE(bad.or_else(forgive));
  EXPECT_TRUE(Result<void>().or_else(forgive));

  Result<std::unique_ptr<int>> number = std::make_unique<int>(5);
  const auto none = [](Failure) { return Result<std::unique_ptr<int>>(nullptr); };
  EXPECT_EQ(**std::move(number).or_else(none), 5);
}

}  // namespace
}  // namespace holdfast

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
    EXPECT_STREQ(error.what(), "no");  // once, and without the code's own sentence
  }
  EXPECT_THROW(Result<void>(Errc::closed).value(), std::system_error);
  EXPECT_NO_THROW(Result<void>().value());
}

}  // namespace
}  // namespace holdfast

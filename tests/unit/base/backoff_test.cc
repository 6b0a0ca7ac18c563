// SPDX-License-Identifier: Apache-2.0

#include "base/backoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::base {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(BackoffTest, PausesDoubleUpToFiftyTimesTheBase) {
  Backoff backoff({.base = 10ms});
  for (const auto most : {10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 500ms, 500ms}) {
    const auto pause = backoff.failed();
    EXPECT_LE(pause, most);
    EXPECT_GE(pause, most / 2);
  }
  backoff.reset();
  EXPECT_LE(backoff.failed(), 10ms);
}

TEST(BackoffTest, EndsAfterTheGivenNumberOfFurtherTries) {
  Backoff backoff({.base = 1ms, .times = 2});
  for (const bool last : {false, false, true}) {
    (void)backoff.failed();
    EXPECT_EQ(backoff.is_exhausted(), last);
  }
  EXPECT_THAT(backoff.explain(Failure(Errc::unavailable, "no server")).message(),
              testing::MatchesRegex("no server; tried 3 times in [0-9]+ m?s"));
}

TEST(BackoffTest, WithoutALimitNeverEndsAndSaysNothing) {
  Backoff backoff;
  for (int i = 0; i < 100; ++i) (void)backoff.failed();
  EXPECT_FALSE(backoff.is_exhausted());
  EXPECT_EQ(backoff.explain(Failure(Errc::unavailable, "no server")).message(),
            "no server");
}

}  // namespace
}  // namespace holdfast::base

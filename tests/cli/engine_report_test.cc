// SPDX-License-Identifier: Apache-2.0

// The output of `show --engine` agrees with docs/primitives.md.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(EngineReportTest, OnlyLocksAndElectionsHaveTokens) {
  const std::string told = Program()({"show", "--engine"}).out;
  for (const char* kind : {"mutex", "fair_mutex", "shared_mutex", "election"}) {
    EXPECT_THAT(told, ContainsRegex(std::string("\n  ") + kind + " +: fences "));
  }
  for (const char* kind : {"semaphore", "double_barrier"}) {
    EXPECT_THAT(told, ContainsRegex(std::string("\n  ") + kind + " +: orders "));
  }
}

TEST(EngineReportTest, NumbersHaveVersionsAndNoOrder) {
  const std::string told = Program()({"show", "--engine"}).out;
  for (const char* kind : {"latch", "barrier", "counter", "shared_count"}) {
    EXPECT_THAT(told,
                ContainsRegex(std::string("\n  ") + kind + " +: notifies versions\n"));
  }
}

TEST(EngineReportTest, TheWordsAreExplained) {
  EXPECT_THAT(Program()({"show", "--engine"}).out,
              AllOf(ContainsRegex("\n  fences +each grant has a larger token"),
                    ContainsRegex("\n  orders +grants in order of arrival"),
                    Not(HasSubstr("leased"))));
}

}  // namespace
}  // namespace holdfast::test

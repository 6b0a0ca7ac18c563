// SPDX-License-Identifier: Apache-2.0

// Descriptors 0 to 2 may be closed. Even then, nothing that is printed goes into a file
// that the program has opened.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace holdfast::test {
namespace {

// Expects that the program still works on its segment after that shell command.
void expect_harmless(const std::string& command) {
  const Program holdfast;
  ASSERT_EQ(holdfast({"counter", "c", "set", "5"}).code, 0);
  Process shell({"/bin/sh", "-c", command, HOLDFAST_PROGRAM},
                {"HOLDFAST_URL=" + holdfast.url()});
  EXPECT_TRUE(shell.wait());
  const Outcome after = holdfast({"counter", "c", "get"});
  EXPECT_EQ(after.code, 0) << command << ": " << after.err;
  EXPECT_EQ(after.out, "5\n") << command;
}

TEST(ClosedStdioTest, StdoutIsNotTheSegment) {
  expect_harmless("exec \"$0\" counter c add 0 >&-");
}

TEST(ClosedStdioTest, StderrIsNotTheSegment) {
  expect_harmless("exec \"$0\" show nothing 2>&-");
}

TEST(ClosedStdioTest, NoStandardDescriptorIsTheSegment) {
  expect_harmless("exec \"$0\" counter c add 0 <&- >&- 2>&-");
  expect_harmless("exec \"$0\" run job echo x <&- >&- 2>&-");
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

// Hints can be pasted into a shell as they are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/terminal.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HintTest, ACommandForAShellIsShownWithMinusC) {
  Program holdfast;
  EXPECT_THAT(holdfast({"run", "job", "echo hi; ls"}).err,
              HasSubstr("\nby a shell: holdfast run job -c 'echo hi; ls'\n"));
  EXPECT_THAT(holdfast({"elect", "--", "-job", "ulimit", "-n"}).err,
              HasSubstr("\nby a shell: holdfast elect -c 'ulimit -n' -- -job\n"));
  EXPECT_EQ(holdfast({"elect", "-c", "ulimit -n", "--", "-job"}).code, 0);
  EXPECT_THAT(holdfast({"run", "job", "nonexistent"}).err,
              Not(HasSubstr("by a shell")));
}

TEST(HintTest, ANameWithADashIsNotTakenForAnOption) {
  Program holdfast;
  Process holder = holdfast.start({"run", "--", "-job", "sh", "-c", kUntilTold});
  const std::string token = holder.read_line().value_or("");
  const Terminal terminal;
  holdfast.set("ERR=" + terminal.name());
  EXPECT_EQ(holdfast({"run", "-n", "--", "-job", "true"}).code, 75);
  EXPECT_THAT(terminal.text(),
              HasSubstr("by force: holdfast unlock --token " + token + " -- -job\n"));
  EXPECT_EQ(holdfast({"unlock", "--token", token, "--", "-job"}).code, 0);
}

}  // namespace
}  // namespace holdfast::test

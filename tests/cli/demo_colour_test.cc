// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/terminal.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A stock of one item is sold in no time. With --json the story goes to stderr.
TEST(DemoColourTest, IsForATerminalThatWantsIt) {
  Program holdfast;
  const Terminal terminal;
  holdfast.set("ERR=" + terminal.name());
  const std::vector<std::string> args{"demo",    "--json", "--stock",   "1",
                                      "--shops", "1",      "--threads", "1"};
  EXPECT_EQ(holdfast(args).code, 0);
  EXPECT_THAT(terminal.text(), HasSubstr("\033["));
  holdfast.set("NO_COLOR=1");
  EXPECT_EQ(holdfast(args).code, 0);
  EXPECT_THAT(terminal.text(), Not(HasSubstr("\033[")));
}

}  // namespace
}  // namespace holdfast::test

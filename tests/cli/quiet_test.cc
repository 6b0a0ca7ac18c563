// SPDX-License-Identifier: Apache-2.0

// What -q and HOLDFAST_LOG leave out, and what they do not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "cli/terminal.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(QuietTest, AHeldLockIsReportedByTheExitStatusAlone) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  const Terminal terminal;
  for (const bool on_terminal : {false, true}) {
    if (on_terminal) holdfast.set("ERR=" + terminal.name());
    for (const std::vector<std::string>& args :
         {std::vector<std::string>{"run", "-nq", "job", "true"},
          {"run", "-n", "--quiet", "--json", "job", "true"},
          {"elect", "-q", "none"},
          {"wait", "-nq", "job"},
          {"show", "-q", "none"},
          {"unlock", "-q", "none", "--force"}}) {
      const Outcome outcome = holdfast(args);
      EXPECT_EQ(outcome.code, args[1].find('n') != std::string::npos ? 75 : 1);
      EXPECT_EQ(outcome.err + terminal.text(), "") << args[0];
    }
  }
}

TEST(QuietTest, AnErrorIsStillPrinted) {
  Program holdfast;
  EXPECT_THAT(holdfast({"run", "-q", "a\nb", "true"}).err, HasSubstr("name"));
  EXPECT_THAT(holdfast({"ls", "-q", "--url", "bogus://x"}).err, HasSubstr("bogus"));
  EXPECT_THAT(holdfast({"run", "-q", "job", "/nonexistent/x"}).err,
              HasSubstr("/nonexistent/x"));
  EXPECT_EQ(holdfast({"run", "-q", "--verbose", "job", "true"}).code, 64);
}

TEST(QuietTest, EveryVerbKnowsIt) {
  Program holdfast;
  for (const std::string verb : {"run", "elect", "latch", "barrier", "counter", "wait",
                                 "ls", "show", "unlock", "gc", "schema"}) {
    EXPECT_THAT(holdfast({verb, "--help"}).out, HasSubstr("-q,--quiet")) << verb;
  }
}

TEST(LogLevelTest, AWrongLevelIsReportedOnceAndDoesNoHarm) {
  Program holdfast;
  holdfast.set("HOLDFAST_LOG=loud");
  const Outcome outcome = holdfast({"run", "job", "true"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err,
            "holdfast: HOLDFAST_LOG is not one of error, warning, info and off\n");
  EXPECT_EQ(holdfast({"run", "--json", "job", "true"}).err, "");
}

TEST(LogLevelTest, InfoSaysWhatVerboseSays) {
  Program holdfast;
  holdfast.set("HOLDFAST_LOG=info");
  EXPECT_THAT(holdfast({"run", "job", "true"}).err,
              StartsWith("holdfast: lock \"job\" acquired after "));
}

}  // namespace
}  // namespace holdfast::test

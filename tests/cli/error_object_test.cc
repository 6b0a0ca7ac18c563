// SPDX-License-Identifier: Apache-2.0

// With --json an error is one object on stderr, and nothing else is there.

#include "cli/error_object.h"

#include <gtest/gtest.h>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ErrorObjectTest, AConflict) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  EXPECT_THAT(holdfast({"run", "-n", "--json", "job", "true"}).err,
              AllOf(IsAnErrorObject(75), HasSubstr("is held by ")));
  EXPECT_THAT(holdfast({"run", "-n", "-E7", "--json", "job", "true"}).err,
              IsAnErrorObject(7));
  EXPECT_THAT(holdfast({"wait", "-n", "--json", "job"}).err, IsAnErrorObject(75));
}

TEST(ErrorObjectTest, AnAnswerInTheNegative) {
  Program holdfast;
  holdfast({"latch", "gate", "set", "2"});
  const auto says = [&](const std::vector<std::string>& args) {
    return holdfast(args).err;
  };
  EXPECT_THAT(says({"latch", "gate", "set", "3", "--json"}),
              AllOf(IsAnErrorObject(1), HasSubstr("\"already_set\"")));
  EXPECT_THAT(says({"latch", "gate", "wait", "-n", "--json"}),
              AllOf(IsAnErrorObject(75), HasSubstr("\"timed_out\"")));
  EXPECT_THAT(says({"show", "--json", "none"}),
              AllOf(IsAnErrorObject(1), HasSubstr("\"not_in_use\"")));
  EXPECT_THAT(says({"unlock", "--json", "none", "--force"}),
              AllOf(IsAnErrorObject(1), HasSubstr("\"not_held\"")));
  EXPECT_THAT(says({"elect", "--json", "none"}),
              AllOf(IsAnErrorObject(1), HasSubstr("\"no_leader\"")));
}

TEST(ErrorObjectTest, ACommandThatCannotBeRun) {
  Program holdfast;
  EXPECT_THAT(holdfast({"run", "--json", "job", "/nonexistent/x"}).err,
              AllOf(IsAnErrorObject(127), HasSubstr("\"command_not_found\"")));
  EXPECT_THAT(holdfast({"run", "--json", "job", "/"}).err,
              AllOf(IsAnErrorObject(126), HasSubstr("\"cannot_run\"")));
}

TEST(ErrorObjectTest, ALoss) {
  Program holdfast;
  Process run = holdfast.hold("job", kUntilTold, {"--json", "--ttl", stretched(2s)});
  EXPECT_EQ(holdfast({"unlock", "job", "--force"}).code, 0);
  // The holder writes to the file of stderr last.
  EXPECT_EQ(run.wait(), 76);
  EXPECT_THAT(contents(holdfast.err_file()),
              AllOf(IsAnErrorObject(76), StartsWith("{\"error\":\"lost\"")));
}

TEST(ErrorObjectTest, ALeaseThatEndsWithTheStatusOfTheCommand) {
  Program holdfast;
  Process run =
      holdfast.hold("job", "trap 'exit 5' TERM; echo up; read line",
                    {"--json", "--preserve-status", "--lease", stretched(1s)});
  run.wait();
  EXPECT_THAT(contents(holdfast.err_file()),
              AllOf(IsAnErrorObjectWithoutExitCode(), HasSubstr("\"lease_ended\"")));
}

TEST(ErrorObjectTest, WarningsAndReportsDoNotMix) {
  Program holdfast;
  const Outcome outcome = holdfast({"run", "--json", "--verbose", "job", "true"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(
      holdfast({"run", "--json", "--url", "bogus://ann:pass@host", "job", "true"}).err,
      IsAnErrorObject(78));
}

}  // namespace
}  // namespace holdfast::test

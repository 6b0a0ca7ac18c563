// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <list>

#include "cli/program.h"
#include "cli/terminal.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ExclusionTest, ParallelRunsLoseNothing) {
  constexpr int kRuns = 40;
  Program holdfast;
  std::ofstream(holdfast.file("counter")) << 0;
  const std::string script =
      "cd " + holdfast.file("") + " && n=$(cat counter) && echo $((n+1)) > counter";
  std::list<Process> runs;
  for (int i = 0; i < kRuns; ++i) {
    runs.push_back(holdfast.start({"run", "counter", "--", "sh", "-c", script}));
  }
  for (Process& run : runs) EXPECT_EQ(run.wait(), 0) << contents(holdfast.err_file());
  EXPECT_EQ(contents(holdfast.file("counter")), std::to_string(kRuns) + "\n");
}

TEST(ExclusionTest, AConflictShowsTheHolder) {
  Program holdfast;
  const Terminal terminal;
  Process holder = holdfast.hold("job", kUntilTold);
  const std::string pid = " pid " + std::to_string(holder.pid()) + " (/bin/sh)";

  // A log gets one sentence, and a terminal a whole report.
  const Outcome outcome = holdfast({"run", "-n", "job", "--", "echo", "in"});
  EXPECT_EQ(outcome.code, 75);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("holdfast: lock \"job\" is held by "));
  EXPECT_THAT(outcome.err, HasSubstr(pid + " since "));
  EXPECT_THAT(outcome.err, HasSubstr("ago), token "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);

  holdfast.set("ERR=" + terminal.name());
  EXPECT_EQ(holdfast({"run", "-n", "job", "--", "echo", "in"}).code, 75);
  const std::string report = terminal.text();
  EXPECT_THAT(report, StartsWith("holdfast: lock \"job\" is held\n  Holder : "));
  EXPECT_THAT(report, HasSubstr(pid + "\n"));
  EXPECT_THAT(report, HasSubstr("ago)"));
  EXPECT_THAT(report, HasSubstr("Waiting: 0 (you would be #1)"));
  EXPECT_THAT(report, HasSubstr("To free it by force: holdfast unlock job --token "));
  EXPECT_THAT(report, Not(HasSubstr("read line")))
      << "the report shows the whole command";
  holder.close_stdin();
  EXPECT_EQ(holder.wait(), 1);
}

TEST(ExclusionTest, TheWholeCommandIsShownOnRequest) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold, {"--show-command"});
  const Outcome outcome = holdfast({"run", "-n", "job", "--", "true"});
  EXPECT_THAT(outcome.err, HasSubstr("(/bin/sh -c '" + std::string(kUntilTold) + "')"));
}

TEST(ExclusionTest, AConflictAsJson) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  const Outcome outcome = holdfast({"run", "-n", "--json", "job", "--", "true"});
  EXPECT_EQ(outcome.code, 75);
  EXPECT_THAT(outcome.err, StartsWith(R"({"error":"held","resource":{"kind":"mutex",)"
                                      R"("name":"job","holders":[{"owner":)"));
  EXPECT_THAT(outcome.err, HasSubstr("\"pid\":" + std::to_string(holder.pid()) + ","));
}

TEST(ExclusionTest, TheConflictExitCodeIsTheUsers) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  EXPECT_EQ(holdfast({"run", "-n", "-E", "0", "job", "--", "true"}).code, 0);
  EXPECT_EQ(holdfast({"run", "-nE1", "job", "--", "true"}).code, 1);
  EXPECT_EQ(holdfast({"run", "-w", "0", "job", "--", "true"}).code, 75);
}

TEST(ExclusionTest, ATimedWaitEnds) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(holdfast({"run", "-w", "300ms", "job", "--", "true"}).code, 75);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 300ms);
}

TEST(ExclusionTest, AWaiterGetsInWhenTheHolderLeaves) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  Process waiter = holdfast.start({"run", "-w", "1h", "job", "--", "echo", "in"});
  EXPECT_EQ(waiter.read_line(scaled(200ms)), std::nullopt);
  holder.write_line("go");
  EXPECT_EQ(waiter.read_line(), "in");
  EXPECT_EQ(waiter.wait(), 0);
}

TEST(ExclusionTest, OtherNamesDoNotWait) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  EXPECT_EQ(holdfast({"run", "-n", "job2", "true"}).code, 0);
}

TEST(ExclusionTest, ASignalEndsTheWait) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Process waiter = holdfast.start({"run", "job", "--", "echo", "in"});
    // The program handles signals before it starts the watchdog.
    ASSERT_TRUE(eventually([&] { return !children_of(waiter.pid()).empty(); }));
    waiter.signal(number);
    EXPECT_EQ(waiter.wait(), 128 + number);
    EXPECT_EQ(waiter.read_line(), std::nullopt);
  }
}

TEST(ExclusionTest, AtLeastKeepsTheLock) {
  Program holdfast;
  Process holder = holdfast.hold("job", "echo done", {"--at-least", "1h"});
  EXPECT_EQ(holdfast({"run", "-w", "300ms", "job", "--", "true"}).code, 75);
  holder.signal(SIGTERM);
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(holdfast({"run", "-n", "job", "--", "true"}).code, 0);
}

}  // namespace
}  // namespace holdfast::test

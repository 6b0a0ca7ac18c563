// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RunTest, PassesTheExitCodeOn) {
  Program holdfast;
  for (const int code : {0, 1, 7, 75, 255}) {
    const std::string script = "exit " + std::to_string(code);
    EXPECT_EQ(holdfast({"run", "a", "--", "sh", "-c", script}).code, code);
  }
}

TEST(RunTest, ASignalledCommandGives128PlusN) {
  Program holdfast;
  EXPECT_EQ(holdfast({"run", "a", "sh", "-c", "kill -9 $$"}).code, 128 + SIGKILL);
  EXPECT_EQ(holdfast({"run", "a", "sh", "-c", "kill -TERM $$"}).code, 128 + SIGTERM);
}

TEST(RunTest, ReportsACommandThatCannotBeRun) {
  Program holdfast;
  const Outcome missing = holdfast({"run", "a", "no-such-command"});
  EXPECT_EQ(missing.code, 127);
  EXPECT_THAT(missing.err, StartsWith("holdfast: cannot run no-such-command: "));
  const Outcome barred = holdfast({"run", "a", "/etc/passwd"});
  EXPECT_EQ(barred.code, 126);
  EXPECT_THAT(barred.err, StartsWith("holdfast: cannot run /etc/passwd: "));
}

TEST(RunTest, PassesStdinOn) {
  EXPECT_EQ(Program()({"run", "a", "cat"}, "a line").out, "a line\n");
}

TEST(RunTest, LeavesTheOptionsOfTheCommandAlone) {
  Program holdfast;
  EXPECT_EQ(holdfast({"run", "a", "echo", "x", "-w", "--help", "--"}).out,
            "x -w --help --\n");
  EXPECT_EQ(holdfast({"run", "a", "--", "echo", "x", "-E"}).out, "x -E\n");
  EXPECT_EQ(holdfast({"run", "-nw0", "-x", "--", "-a", "echo", "[x,y]"}).code, 64);
  EXPECT_EQ(holdfast({"run", "-x", "--", "-a", "echo", "[x,y]"}).out, "[x,y]\n");
}

TEST(RunTest, OptionsMayFollowTheName) {
  Program holdfast;
  EXPECT_EQ(holdfast({"run", "a", "-n", "-c", "echo $((1+2))"}).out, "3\n");
  EXPECT_EQ(holdfast({"run", "-c", "echo x", "a"}).out, "x\n");
}

TEST(RunTest, TheShellFormUsesTheUsersShell) {
  Program holdfast;
  holdfast.set("SHELL=/bin/echo");
  EXPECT_EQ(holdfast({"run", "a", "-c", "hello"}).out, "-c hello\n");
}

TEST(RunTest, SetsTheEnvironmentOverWhatIsInherited) {
  Program holdfast;
  holdfast.set("HOLDFAST_LOCK_NAME=outer");
  const std::string script =
      "echo $HOLDFAST_LOCK_HELD $HOLDFAST_LOCK_NAME $HOLDFAST_TTL_MS $HOLDFAST_ENGINE; "
      "test $HOLDFAST_TOKEN -gt 0 && echo token";
  const std::string out = holdfast({"run", "my/job", "--", "sh", "-c", script}).out;
  EXPECT_EQ(out, "1 my/job 0 local\ntoken\n");
  EXPECT_EQ(holdfast({"run", "--lease", "1m", "a", "-c", "echo $HOLDFAST_TTL_MS"}).out,
            "60000\n");
}

TEST(RunTest, TokensGrow) {
  Program holdfast;
  const auto token = [&] {
    return std::stoull(holdfast({"run", "a", "-c", "echo $HOLDFAST_TOKEN"}).out);
  };
  const auto first = token();
  EXPECT_GT(token(), first);
}

// Returns the bit of a signal in a line of /proc/self/status.
bool has(const std::string& status, const std::string& line, int number) {
  const auto at = status.find(line + ":");
  const auto bits = std::stoull(status.substr(at + line.size() + 1), nullptr, 16);
  return (bits >> (number - 1) & 1) != 0;
}

TEST(RunTest, TheCommandHasDefaultSignals) {
  const std::string status = Program()({"run", "a", "cat", "/proc/self/status"}).out;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGUSR1}) {
    EXPECT_FALSE(has(status, "SigBlk", number)) << number;
    EXPECT_FALSE(has(status, "SigIgn", number)) << number;
  }
}

TEST(RunTest, AnIgnoredSignalStaysIgnored) {
  Program holdfast;
  Process run({"/bin/sh", "-c", "trap '' HUP; exec \"$0\" run a cat /proc/self/status",
               HOLDFAST_PROGRAM},
              {"HOLDFAST_URL=" + holdfast.url()});
  std::string status;
  while (const auto line = run.read_line()) status += *line + "\n";
  EXPECT_TRUE(has(status, "SigIgn", SIGHUP)) << "nohup has no effect";
}

TEST(RunTest, InheritsNoMoreThanItMust) {
  Program holdfast;
  const auto descriptors = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> args{"run"};
    args.insert(args.end(), flags.begin(), flags.end());
    args.insert(args.end(), {"a", "--", "sh", "-c", "set -- /proc/$$/fd/*; echo $#"});
    return std::stoi(holdfast(args).out);
  };
  EXPECT_EQ(descriptors({}), descriptors({"-o"}) + 1)
      << "it inherits more than the liveness descriptor";
}

TEST(RunTest, SignalsReachTheCommand) {
  Program holdfast;
  for (const char* name : {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2"}) {
    Process run = holdfast.hold("a", std::string("trap 'echo got; exit 5' ") + name +
                                         "; echo ready; while :; do sleep 0.01; done");
    run.signal(std::string(name) == "TERM"   ? SIGTERM
               : std::string(name) == "INT"  ? SIGINT
               : std::string(name) == "HUP"  ? SIGHUP
               : std::string(name) == "QUIT" ? SIGQUIT
               : std::string(name) == "USR1" ? SIGUSR1
                                             : SIGUSR2);
    EXPECT_EQ(run.read_line(), "got") << name;
    EXPECT_EQ(run.wait(), 5) << name;
  }
}

TEST(RunTest, VerboseSaysHowLongItTook) {
  const Outcome outcome = Program()({"run", "--verbose", "a", "true"});
  EXPECT_THAT(outcome.err, HasSubstr("lock \"a\" acquired after 0."));
}

TEST(RunTest, WhatTheCommandLeavesBehindIsLeftAlone) {
  Program holdfast;
  Process run = holdfast.start(
      {"run", "a", "--", "sh", "-c", "sleep 100 >/dev/null 2>&1 & echo $!"});
  const pid_t daemon = std::stoi(run.read_line().value());
  EXPECT_EQ(run.wait(), 0);
  EXPECT_TRUE(is_alive(daemon));
  EXPECT_EQ(holdfast({"run", "-n", "a", "true"}).code, 0)
      << "the lock was not given back";
  kill(daemon, SIGKILL);
}

}  // namespace
}  // namespace holdfast::test

// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/program.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* kPolite =
    "trap 'echo told; exit 3' TERM; echo up; while :; do sleep 0.01; done";
constexpr const char* kIgnoring = "trap '' TERM; echo up; while :; do sleep 0.01; done";

TEST(LeaseTest, TheCommandIsToldBeforeTheEnd) {
  Program holdfast;
  Process run = holdfast.hold("a", kPolite, {"--lease", stretched(1s)});
  EXPECT_EQ(run.read_line(), "told");
  EXPECT_EQ(run.wait(), 76) << "the status of the command was returned";
  EXPECT_THAT(contents(holdfast.err_file()),
              HasSubstr("lock \"a\" has come to the end of its lease; the command is"));
}

TEST(LeaseTest, ACommandThatIgnoresTheSignalIsKilled) {
  Program holdfast;
  Process run = holdfast.hold("a", kIgnoring, {"--lease", stretched(1s)});
  EXPECT_EQ(run.wait(), 76);
}

TEST(LeaseTest, TheStatusCanBePreserved) {
  Program holdfast;
  Process polite =
      holdfast.hold("a", kPolite, {"--lease", stretched(1s), "--preserve-status"});
  EXPECT_EQ(polite.wait(), 3);
  Process ignoring =
      holdfast.hold("b", kIgnoring, {"--lease", stretched(1s), "--preserve-status"});
  EXPECT_EQ(ignoring.wait(), 128 + SIGKILL);
}

TEST(LeaseTest, TheSignalIsTheUsers) {
  Program holdfast;
  Process run = holdfast.hold(
      "a", kIgnoring,
      {"--lease", stretched(1s), "--preserve-status", "--signal", "usr1"});
  EXPECT_EQ(run.wait(), 128 + SIGUSR1);
}

TEST(LeaseTest, OnLostKillDoesNotAsk) {
  Program holdfast;
  Process run =
      holdfast.hold("a", kPolite, {"--lease", stretched(1s), "--on-lost", "kill"});
  EXPECT_EQ(run.read_line(), std::nullopt);
  EXPECT_EQ(run.wait(), 76);
}

TEST(LeaseTest, OnLostWarnLetsItGoOn) {
  Program holdfast;
  Process run = holdfast.hold(
      "a", "echo up; read end <&$HOLDFAST_LOST_FD; echo lost; read line; exit 4",
      {"--lease", stretched(500ms), "--on-lost", "warn"});
  EXPECT_EQ(run.read_line(), "lost");
  EXPECT_EQ(holdfast({"run", "-w", stretched(5s), "a", "--", "true"}).code, 0)
      << "another process did not get the lost lock";
  run.write_line("finish");
  EXPECT_EQ(run.wait(), 76);
}

TEST(LeaseTest, TheLostDescriptorReadsEndOfFile) {
  Program holdfast;
  Process run = holdfast.hold(
      "a", "trap '' TERM; echo up; read end <&$HOLDFAST_LOST_FD; echo lost; exit 0",
      {"--lease", stretched(1s)});
  EXPECT_EQ(run.read_line(), "lost");
  EXPECT_EQ(run.wait(), 76);
}

TEST(LeaseTest, ACommandInTimeKeepsItsStatus) {
  EXPECT_EQ(Program()({"run", "--lease", "1h", "a", "-c", "exit 9"}).code, 9);
}

TEST(LeaseTest, ARenewedLockOutlivesItsTtl) {
  Program holdfast;
  Process run =
      holdfast.hold("a", "echo up; read line; exit 6", {"--ttl", stretched(600ms)});
  EXPECT_EQ(run.wait(scaled(1500ms)), std::nullopt);
  run.write_line("finish");
  EXPECT_EQ(run.wait(), 6);
}

}  // namespace
}  // namespace holdfast::test

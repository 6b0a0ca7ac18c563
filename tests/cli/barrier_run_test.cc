// SPDX-License-Identifier: Apache-2.0

// `barrier NAME enter N` runs commands that begin together and end together.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/program.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

Process enter(const Program& holdfast, const std::string& script) {
  return holdfast.start({"barrier", "round", "enter", "2", "--", "sh", "-c", script});
}

std::size_t parties(const Program& holdfast) {
  const std::string shown = holdfast({"show", "round", "--json"}).out;
  const std::string held = shown.substr(0, shown.find("\"waiters\""));
  std::size_t count = 0;
  for (auto at = held.find("\"owner\""); at != std::string::npos;
       at = held.find("\"owner\"", at + 1)) {
    ++count;
  }
  return count;
}

TEST(BarrierRunTest, BeginAndEndTogether) {
  Program holdfast;
  Process first = enter(holdfast, "echo $HOLDFAST_LOCK_NAME");
  ASSERT_TRUE(waits(holdfast, "round", 1));
  EXPECT_EQ(first.read_line(scaled(100ms)), std::nullopt) << "one is not enough";
  Process second = enter(holdfast, "echo in; read line; exit 3");
  EXPECT_EQ(first.read_line(), "round");
  EXPECT_EQ(second.read_line(), "in");
  EXPECT_EQ(first.wait(scaled(200ms)), std::nullopt) << "the other party is still in";
  second.write_line("done");
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 3);
}

TEST(BarrierRunTest, TooFewInTime) {
  Program holdfast;
  const Outcome outcome =
      holdfast({"barrier", "round", "enter", "2", "-w", "50ms", "echo", "in"});
  EXPECT_EQ(outcome.code, 75);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "holdfast: double barrier \"round\": not all parties have come\n");
}

TEST(BarrierRunTest, NotAllHaveLeftInTime) {
  Program holdfast;
  Process slow = enter(holdfast, "echo in; read line");
  ASSERT_TRUE(waits(holdfast, "round", 1));
  Process quick = holdfast.start(
      {"barrier", "round", "enter", "2", "-w", stretched(1s), "--", "true"});
  EXPECT_EQ(slow.read_line(), "in");
  EXPECT_EQ(quick.wait(), 75);
  slow.write_line("done");
  EXPECT_EQ(slow.wait(), 0);
}

TEST(BarrierRunTest, DeadPartiesAreNotWaitedFor) {
  Program holdfast;
  Process first = enter(holdfast, "true");
  ASSERT_TRUE(waits(holdfast, "round", 1));
  Process second = enter(holdfast, "echo in; read line");
  ASSERT_EQ(second.read_line(), "in");
  second.signal(SIGKILL);
  EXPECT_EQ(first.wait(), 0);
}

TEST(BarrierRunTest, ASignalEndsTheWait) {
  Program holdfast;
  Process lonely = enter(holdfast, "echo in");
  ASSERT_TRUE(waits(holdfast, "round", 1));
  lonely.signal(SIGINT);
  EXPECT_EQ(lonely.wait(), 128 + SIGINT);

  Process first = enter(holdfast, "echo in");
  ASSERT_TRUE(waits(holdfast, "round", 1));
  Process second = enter(holdfast, "echo in; read line");
  ASSERT_EQ(second.read_line(), "in");
  ASSERT_TRUE(eventually([&] { return parties(holdfast) == 1; })) << "it has not left";
  EXPECT_EQ(first.wait(0ms), std::nullopt) << "it does not wait for the other party";
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 128 + SIGTERM);
}

TEST(BarrierRunTest, AnEvictedPartyIsEnded) {
  Program holdfast;
  Process first = enter(holdfast, "echo in; read line");
  Process second = enter(holdfast, "echo in; read line");
  ASSERT_EQ(first.read_line(), "in");
  EXPECT_EQ(holdfast({"unlock", "round", "--force"}).code, 0);
  EXPECT_EQ(first.wait(), 76);
  EXPECT_EQ(second.wait(), 76);
}

}  // namespace
}  // namespace holdfast::test

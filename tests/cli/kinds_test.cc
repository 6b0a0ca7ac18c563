// SPDX-License-Identifier: Apache-2.0

// `run` with the kinds of locks: --read, --write, --permits, --fair.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ReadWriteTest, ReadersRunTogether) {
  Program holdfast;
  for (const char* flag : {"-s", "--shared", "--read"}) {
    Process reader = holdfast.hold("prices", kUntilTold, {"--read"});
    EXPECT_EQ(holdfast({"run", "-n", flag, "prices", "echo", "in"}).out, "in\n");
    EXPECT_EQ(holdfast({"show", "prices"}).out.find("Mode   : exclusive"),
              std::string::npos);
  }
}

TEST(ReadWriteTest, AWriterRunsAlone) {
  Program holdfast;
  {
    Process reader = holdfast.hold("prices", kUntilTold, {"--read"});
    const Outcome outcome = holdfast({"run", "-n", "--write", "prices", "true"});
    EXPECT_EQ(outcome.code, 75);
    EXPECT_THAT(outcome.err, StartsWith("holdfast: lock \"prices\" is held by "));
    EXPECT_THAT(outcome.err, HasSubstr(" pid " + std::to_string(reader.pid()) + " "));
  }
  Process writer = holdfast.hold("prices", kUntilTold, {"--write", "-x"});
  const Outcome json = holdfast({"run", "-n", "--json", "-s", "prices", "true"});
  EXPECT_EQ(json.code, 75);
  EXPECT_THAT(json.err,
              StartsWith(R"({"error":"held","resource":{"kind":"shared_mutex")"));
  EXPECT_EQ(holdfast({"run", "-n", "--write", "prices", "true"}).code, 75);
}

TEST(ReadWriteTest, AWriterFollowsTheLastReader) {
  Program holdfast;
  Process reader = holdfast.hold("prices", kUntilTold, {"-s"});
  Process writer = holdfast.start({"run", "--write", "prices", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast, "prices", 1));
  EXPECT_EQ(holdfast({"run", "-n", "-s", "prices", "true"}).code, 75)
      << "a reader passed a writer that waits";
  reader.write_line("done");
  EXPECT_EQ(writer.read_line(), "in");
  EXPECT_EQ(writer.wait(), 0);
}

TEST(ReadWriteTest, APlainLockIsAnotherThing) {
  Program holdfast;
  Process holder = holdfast.hold("prices", kUntilTold);
  const Outcome outcome = holdfast({"run", "-n", "-s", "prices", "true"});
  EXPECT_EQ(outcome.code, 65);
  EXPECT_THAT(outcome.err, HasSubstr("in use as a mutex"));
}

TEST(PermitsTest, AsManyRunAtOnceAsThereArePermits) {
  Program holdfast;
  Process first = holdfast.hold("uploads", kUntilTold, {"--permits", "2"});
  Process second = holdfast.hold("uploads", kUntilTold, {"--permits", "2"});
  const Outcome outcome = holdfast({"run", "-n", "--permits", "2", "uploads", "true"});
  EXPECT_EQ(outcome.code, 75);
  EXPECT_THAT(outcome.err,
              StartsWith("holdfast: the permits of \"uploads\" are taken by "));
  EXPECT_THAT(outcome.err, HasSubstr(" pid " + std::to_string(first.pid()) + " "));
  EXPECT_THAT(outcome.err, HasSubstr(" pid " + std::to_string(second.pid()) + " "));

  Process third =
      holdfast.start({"run", "--permits", "2", "uploads", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast, "uploads", 1));
  second.signal(SIGKILL);  // its permit comes back
  EXPECT_EQ(third.read_line(), "in");
  EXPECT_EQ(third.wait(), 0);
}

TEST(PermitsTest, AllMustSayTheSameNumber) {
  Program holdfast;
  Process holder = holdfast.hold("uploads", kUntilTold, {"--permits", "2"});
  const Outcome outcome = holdfast({"run", "--permits", "3", "uploads", "true"});
  EXPECT_EQ(outcome.code, 64);
  EXPECT_THAT(outcome.err,
              StartsWith("holdfast: \"uploads\" has 2 permits, not 3: use 2, or set "));
}

TEST(PermitsTest, TheNumberIsShown) {
  Program holdfast;
  EXPECT_EQ(holdfast({"run", "--permits", "2", "uploads", "true"}).code, 0);
  EXPECT_EQ(holdfast({"show", "uploads"}).out,
            "semaphore \"uploads\"\n  Permits: 2\n  Holder : none\n");
  EXPECT_THAT(holdfast({"show", "--json", "uploads"}).out, HasSubstr("\"value\":2}"));
  EXPECT_EQ(holdfast({"wait", "-n", "uploads"}).code, 0) << "no permit is taken";
}

TEST(FairTest, RunsInOrderOfArrival) {
  Program holdfast;
  const std::string order = holdfast.file("order");
  Process holder = holdfast.hold("job", kUntilTold, {"--fair"});
  std::vector<Process> waiters;
  for (int i = 1; i <= 3; ++i) {
    waiters.push_back(holdfast.start({"run", "--fair", "job", "--", "sh", "-c",
                                      "echo " + std::to_string(i) + " >>" + order}));
    ASSERT_TRUE(waits(holdfast, "job", i));
  }
  EXPECT_EQ(holdfast({"run", "-n", "--fair", "job", "true"}).code, 75);
  holder.write_line("go");
  for (Process& waiter : waiters) EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(contents(order), "1\n2\n3\n");
}

}  // namespace
}  // namespace holdfast::test

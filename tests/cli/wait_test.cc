// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(WaitTest, ANameWithoutAHolderIsFree) {
  Program holdfast;
  const Outcome outcome = holdfast({"wait", "job"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(holdfast({"wait", "--json", "job"}).out,
            "{\"name\":\"job\",\"free\":true}\n");
}

TEST(WaitTest, TheHolderIsNamed) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  for (const char* limit : {"-n", "-w50ms"}) {
    const Outcome outcome = holdfast({"wait", limit, "job"});
    EXPECT_EQ(outcome.code, 75);
    EXPECT_THAT(outcome.err, StartsWith("holdfast: lock \"job\" is held by "));
    EXPECT_THAT(outcome.err, HasSubstr(" pid " + std::to_string(holder.pid()) + " "));
  }
  EXPECT_THAT(
      holdfast({"wait", "-n", "--json", "job"}).err,
      StartsWith(R"({"error":"held","resource":{"kind":"mutex","name":"job",)"));
}

// It does not matter how the lock is held and how the hold ends.
TEST(WaitTest, EndsWithTheHolder) {
  Program holdfast;
  const std::vector<std::vector<std::string>> ways{{"run"},
                                                   {"run", "--fair"},
                                                   {"run", "--read"},
                                                   {"run", "--write"},
                                                   {"run", "--permits", "2"},
                                                   {"elect"}};
  for (const auto& way : ways) {
    for (const bool killed : {false, true}) {
      std::vector<std::string> args = way;
      const std::string name = "job" + way.back() + (killed ? "/killed" : "");
      args.insert(args.end(), {name, "--", "sh", "-c", kUntilTold});
      Process holder = holdfast.start(args);
      ASSERT_TRUE(holder.read_line());
      Process waiter = holdfast.start({"wait", name});
      EXPECT_EQ(waiter.wait(scaled(100ms)), std::nullopt) << name;
      killed ? holder.signal(SIGKILL) : (void)holder.write_line("done");
      EXPECT_EQ(waiter.wait(), 0) << name;
    }
  }
}

TEST(WaitTest, ALockThatPassesToTheNextHolderIsNotFree) {
  Program holdfast;
  Process first = holdfast.hold("job", kUntilTold);
  Process second = holdfast.start({"run", "job", "--", "sh", "-c", kUntilTold});
  ASSERT_TRUE(waits(holdfast, "job", 1));
  Process waiter = holdfast.start({"wait", "job"});
  ASSERT_TRUE(takes(waiter.pid(), SIGTERM));
  first.write_line("done");
  ASSERT_TRUE(second.read_line());
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  second.write_line("done");
  EXPECT_EQ(waiter.wait(), 0);
}

TEST(WaitTest, TakesNothing) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  Process waiter = holdfast.start({"wait", "job"});
  EXPECT_EQ(waiter.wait(scaled(100ms)), std::nullopt);
  EXPECT_THAT(holdfast({"show", "job"}).out, Not(HasSubstr("Waiter")));
}

TEST(WaitTest, ASignalEndsIt) {
  Program holdfast;
  Process holder = holdfast.hold("job", kUntilTold);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    Process waiter = holdfast.start({"wait", "-w", "1h", "job"});
    ASSERT_TRUE(takes(waiter.pid(), number));
    waiter.signal(number);
    EXPECT_EQ(waiter.wait(), 128 + number);
  }
}

}  // namespace
}  // namespace holdfast::test

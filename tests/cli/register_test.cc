// SPDX-License-Identifier: Apache-2.0

// The verbs for registers: counter, latch, barrier.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <list>

#include "cli/program.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(CounterTest, PrintsTheNewNumber) {
  Program holdfast;
  EXPECT_EQ(holdfast({"counter", "stock", "get"}).out, "0\n");
  EXPECT_EQ(holdfast({"counter", "stock", "add"}).out, "1\n");
  EXPECT_EQ(holdfast({"counter", "stock", "add", "41"}).out, "42\n");
  EXPECT_EQ(holdfast({"counter", "stock", "add", "-50"}).out, "-8\n");
  EXPECT_EQ(holdfast({"counter", "stock", "set", "-3"}).out, "-3\n");
  EXPECT_EQ(holdfast({"counter", "--", "stock", "add", "-3"}).out, "-6\n");
  EXPECT_EQ(holdfast({"counter", "stock", "get"}).out, "-6\n");
}

TEST(CounterTest, ComparesAndSwaps) {
  Program holdfast;
  EXPECT_EQ(holdfast({"counter", "stock", "set", "5"}).code, 0);
  const Outcome good = holdfast({"counter", "stock", "cas", "5", "-6"});
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.out, "-6\n");
  const Outcome other = holdfast({"counter", "stock", "cas", "5", "7"});
  EXPECT_EQ(other.code, 1);
  EXPECT_EQ(other.out, "-6\n") << "the present number was not printed";
  EXPECT_EQ(other.err, "");
}

TEST(CounterTest, AsJson) {
  Program holdfast;
  EXPECT_EQ(
      holdfast({"counter", "stock", "add", "4", "--json"}).out,
      "{\"name\":\"stock\",\"done\":true,\"before\":0,\"after\":4,\"tries\":1}\n");
  EXPECT_EQ(
      holdfast({"counter", "--json", "stock", "set", "9"}).out,
      "{\"name\":\"stock\",\"done\":true,\"before\":4,\"after\":9,\"tries\":1}\n");
  const Outcome other = holdfast({"counter", "--json", "stock", "cas", "1", "2"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.out, HasSubstr("\"done\":false,\"before\":9,\"after\":9,"));
  EXPECT_EQ(holdfast({"counter", "stock", "get", "--json"}).out,
            "{\"name\":\"stock\",\"value\":9}\n");
}

TEST(CounterTest, DoesNotOverflow) {
  Program holdfast;
  const std::string most = "9223372036854775807";
  EXPECT_EQ(holdfast({"counter", "stock", "set", most}).out, most + "\n");
  const Outcome outcome = holdfast({"counter", "stock", "add"});
  EXPECT_EQ(outcome.code, 64);
  EXPECT_THAT(outcome.err, HasSubstr("overflow"));
  EXPECT_EQ(holdfast({"counter", "stock", "get"}).out, most + "\n");
}

TEST(CounterTest, ParallelAddsLoseNothing) {
  constexpr int kAdds = 20;
  Program holdfast;
  std::list<Process> adds;
  for (int i = 0; i < kAdds; ++i) {
    adds.push_back(holdfast.start({"counter", "stock", "add", "3"}));
  }
  for (Process& add : adds) EXPECT_EQ(add.wait(), 0);
  EXPECT_EQ(holdfast({"counter", "stock", "get"}).out,
            std::to_string(3 * kAdds) + "\n");
}

TEST(LatchTest, CountsDown) {
  Program holdfast;
  EXPECT_EQ(holdfast({"latch", "ready", "count"}).out, "0\n");
  EXPECT_EQ(holdfast({"latch", "ready", "wait"}).code, 0)
      << "a latch that was never set is not open";
  EXPECT_EQ(holdfast({"latch", "ready", "set", "3"}).out, "3\n");
  const Outcome again = holdfast({"latch", "ready", "set", "5"});
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(again.err, "holdfast: latch \"ready\" is closed already\n");
  EXPECT_EQ(holdfast({"latch", "ready", "down"}).out, "2\n");
  EXPECT_EQ(holdfast({"latch", "ready", "count", "--json"}).out,
            "{\"name\":\"ready\",\"count\":2}\n");
  EXPECT_EQ(holdfast({"latch", "ready", "down", "7"}).out, "0\n");
  EXPECT_EQ(holdfast({"latch", "ready", "wait", "-n"}).code, 0);
  EXPECT_EQ(holdfast({"latch", "ready", "set", "1"}).code, 0)
      << "an open latch cannot be set again";
}

TEST(LatchTest, AWaitEndsWhenItOpens) {
  Program holdfast;
  ASSERT_EQ(holdfast({"latch", "ready", "set", "2"}).code, 0);
  Process waiter = holdfast.start({"latch", "ready", "wait"});
  ASSERT_EQ(holdfast({"latch", "ready", "down"}).code, 0);
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  ASSERT_EQ(holdfast({"latch", "ready", "down"}).code, 0);
  EXPECT_EQ(waiter.wait(), 0);
}

TEST(LatchTest, AWaitEndsWithItsTimeOrASignal) {
  Program holdfast;
  ASSERT_EQ(holdfast({"latch", "ready", "set", "2"}).code, 0);
  for (const char* limit : {"-n", "-w50ms"}) {
    const Outcome outcome = holdfast({"latch", "ready", "wait", limit});
    EXPECT_EQ(outcome.code, 75);
    EXPECT_EQ(outcome.err, "holdfast: latch \"ready\" still counts 2\n");
  }
  for (const int number : {SIGINT, SIGTERM}) {
    Process waiter = holdfast.start({"latch", "ready", "wait", "-w", "1h"});
    ASSERT_TRUE(takes(waiter.pid(), number));
    waiter.signal(number);
    EXPECT_EQ(waiter.wait(), 128 + number);
  }
}

TEST(BarrierTest, StopsAWaitUntilItIsRemoved) {
  Program holdfast;
  EXPECT_EQ(holdfast({"barrier", "maintenance", "wait"}).code, 0)
      << "a barrier that is not set stops a wait";
  EXPECT_EQ(holdfast({"barrier", "maintenance", "set"}).code, 0);
  EXPECT_EQ(holdfast({"barrier", "maintenance", "set", "--json"}).out,
            "{\"name\":\"maintenance\",\"set\":true,\"done\":false}\n");
  const Outcome outcome = holdfast({"barrier", "maintenance", "wait", "-w", "50ms"});
  EXPECT_EQ(outcome.code, 75);
  EXPECT_EQ(outcome.err, "holdfast: barrier \"maintenance\" is still set\n");

  Process waiter = holdfast.start({"barrier", "maintenance", "wait"});
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast({"barrier", "maintenance", "remove", "--json"}).out,
            "{\"name\":\"maintenance\",\"set\":false,\"done\":true}\n");
  EXPECT_EQ(waiter.wait(), 0);
}

TEST(BarrierTest, ASignalEndsTheWait) {
  Program holdfast;
  ASSERT_EQ(holdfast({"barrier", "maintenance", "set"}).code, 0);
  Process waiter = holdfast.start({"barrier", "maintenance", "wait"});
  ASSERT_TRUE(takes(waiter.pid(), SIGTERM));
  waiter.signal(SIGTERM);
  EXPECT_EQ(waiter.wait(), 128 + SIGTERM);
}

}  // namespace
}  // namespace holdfast::test

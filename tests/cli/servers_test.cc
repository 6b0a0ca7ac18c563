// SPDX-License-Identifier: Apache-2.0

// The program does the same on every engine with a server.

#include "cli/servers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class OnAServer : public testing::TestWithParam<ServerEngine> {
 protected:
  OnAServer() { use(GetParam().serve()); }

  void use(const Served& served) {
    served_ = served;
    holdfast_.set("HOLDFAST_URL=" + served.url);
  }

  Served served_;
  Program holdfast_;
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnAServer);
INSTANTIATE_TEST_SUITE_P(, OnAServer, testing::ValuesIn(server_engines()),
                         [](const auto& test) { return test.param.name; });

TEST_P(OnAServer, RunsACommandWithTheLock) {
  const Outcome outcome = holdfast_({"run", "job", "--", "/bin/sh", "-c",
                                     "echo $HOLDFAST_ENGINE $HOLDFAST_TTL_MS; exit 7"});
  EXPECT_EQ(outcome.code, 7) << outcome.err;
  EXPECT_THAT(outcome.out,
              ContainsRegex("^" + GetParam().engine + " (30000|29[0-9]{3})\n$"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(holdfast_({"show", "job"}).code, 1) << "it was not given back";
}

TEST_P(OnAServer, NamesTheHolder) {
  Process holder = holdfast_.hold("a/b", kUntilTold);
  const std::string pid = "pid " + std::to_string(holder.pid());
  const Outcome refused = holdfast_({"run", "-n", "a/b", "--", "true"});
  EXPECT_EQ(refused.code, 75);
  EXPECT_THAT(refused.err, HasSubstr(pid));
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +a/b +[^ ]+ " + pid));
  EXPECT_THAT(holdfast_({"ls", "a/c"}).out, Not(HasSubstr("a/b")));
  const std::string shown = holdfast_({"show", "a/b"}).out;
  EXPECT_THAT(shown, ContainsRegex("^mutex \"a/b\"\n  Holder : [^\n]* " + pid));
  EXPECT_THAT(shown, ContainsRegex("  Token  : [0-9]+\n"));
  holder.write_line("done");
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(holdfast_({"show", "a/b"}).code, 1);
}

TEST_P(OnAServer, AWaiterFollowsTheHolder) {
  Process holder = holdfast_.hold("job", kUntilTold);
  Process waiter = holdfast_.start({"run", "job", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast_, "job", 1));
  const std::string shown = holdfast_({"show", "job"}).out;
  EXPECT_EQ(shown.find("\"job\""), shown.rfind("\"job\"")) << "of one kind: " << shown;
  EXPECT_EQ(holdfast_({"wait", "-n", "job"}).code, 75);
  holder.write_line("done");
  EXPECT_EQ(waiter.read_line(), "in");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holdfast_({"wait", "job"}).code, 0);
}

TEST_P(OnAServer, AWaitEndsWithTheHolderOrWhenItsTimeIsOver) {
  Process holder = holdfast_.hold("job", kUntilTold);
  EXPECT_EQ(holdfast_({"run", "-w", "200ms", "job", "--", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"wait", "-w", "200ms", "job"}).code, 75);
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +job"))
      << "a claim is left behind";
  Process waiter = holdfast_.start({"wait", "job"});
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  holder.write_line("done");
  EXPECT_EQ(waiter.wait(), 0);
}

TEST_P(OnAServer, UnlockEndsTheCommandOfTheHolder) {
  Process holder = holdfast_.start(
      {"run", "--ttl", stretched(3s), "job", "--", "/bin/sh", "-c", kUntilTold});
  const std::string token = holder.read_line().value_or("none");
  EXPECT_EQ(holdfast_({"unlock", "job", "--token", token + "0"}).code, 1);
  EXPECT_EQ(holder.wait(0ms), std::nullopt);
  const Outcome unlocked = holdfast_({"unlock", "job", "--token", token});
  EXPECT_EQ(unlocked.code, 0) << unlocked.err;
  EXPECT_EQ(holder.wait(), 76);
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST_P(OnAServer, ALostServerEndsTheCommandBeforeTheLease) {
  use(GetParam().serve_alone());
  const auto ttl = 2s;
  Process holder = holdfast_.start({"run", "--ttl", stretched(ttl), "job", "--",
                                    "/bin/sh", "-c", "echo $$; read line"});
  const pid_t command = std::stoi(holder.read_line().value_or("0"));
  ASSERT_TRUE(is_alive(command));
  served_.pause();
  EXPECT_TRUE(eventually([&] { return !is_alive(command); }, scaled(ttl)));
  served_.resume();
  EXPECT_EQ(holder.wait(), 76);
}

TEST_P(OnAServer, ReadersAndAWriter) {
  Process reader = holdfast_.hold("prices", kUntilTold, {"--read"});
  EXPECT_EQ(holdfast_({"run", "-n", "--read", "prices", "true"}).code, 0);
  EXPECT_EQ(holdfast_({"run", "-n", "--write", "prices", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"run", "-n", "prices", "true"}).code, 65)
      << "the name is of another kind";
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("shared_mutex +1 +0 +prices"));
  reader.write_line("done");
  EXPECT_EQ(holdfast_({"run", "--write", "prices", "true"}).code, 0);
}

TEST_P(OnAServer, Permits) {
  Process first = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  Process second = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  EXPECT_EQ(holdfast_({"run", "-n", "--permits", "2", "uploads", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"run", "-n", "--permits", "3", "uploads", "true"}).code, 64);
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("semaphore +2 +0 +uploads"));
  first.write_line("done");
  EXPECT_EQ(holdfast_({"run", "--permits", "2", "uploads", "true"}).code, 0);
}

TEST_P(OnAServer, ALeaderIsSeen) {
  Process observer = holdfast_.start({"elect", "scheduler", "--observe"});
  EXPECT_EQ(observer.read_line(), "no leader");
  Process leader = holdfast_.start(
      {"elect", "--payload", "10.0.0.1:80", "scheduler", "--", "sh", "-c", kUntilTold});
  ASSERT_TRUE(leader.read_line());
  EXPECT_EQ(observer.read_line(), "10.0.0.1:80");
  EXPECT_EQ(holdfast_({"elect", "scheduler"}).out, "10.0.0.1:80\n");
  EXPECT_EQ(holdfast_({"elect", "-n", "scheduler", "true"}).code, 75);
  leader.write_line("resign");
  EXPECT_EQ(observer.read_line(), "no leader");
}

TEST_P(OnAServer, ALatchOpens) {
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "2"}).code, 0);
  Process waiter = holdfast_.start({"latch", "ready", "wait"});
  EXPECT_EQ(holdfast_({"latch", "ready", "down"}).out, "1\n");
  EXPECT_EQ(holdfast_({"latch", "ready", "count"}).out, "1\n");
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"latch", "ready", "down"}).out, "0\n");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "1"}).code, 0);
}

TEST_P(OnAServer, ABarrierIsRemoved) {
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "set"}).code, 0);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "wait", "-n"}).code, 75);
  Process waiter = holdfast_.start({"barrier", "maintenance", "wait"});
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "remove"}).code, 0);
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "wait", "-n"}).code, 0);
}

TEST_P(OnAServer, PartiesBeginTogether) {
  Process first = holdfast_.start({"barrier", "round", "enter", "2", "echo", "in"});
  EXPECT_EQ(first.read_line(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"barrier", "round", "enter", "2", "echo", "in"}).code, 0);
  EXPECT_EQ(first.read_line(), "in");
  EXPECT_EQ(first.wait(), 0);
}

TEST_P(OnAServer, ACounterCounts) {
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "258"}).out, "258\n");
  EXPECT_EQ(holdfast_({"counter", "stock", "cas", "1", "2"}).code, 1);
  EXPECT_EQ(holdfast_({"counter", "stock", "cas", "258", "-3"}).out, "-3\n");
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "-9223372036854775807"}).code, 64);
  EXPECT_EQ(holdfast_({"counter", "stock", "get"}).out, "-3\n");
  EXPECT_THAT(holdfast_({"show", "--json", "stock"}).out,
              ContainsRegex("^\\[\\{\"kind\":\"counter\".*\"value\":-3\\}\\]\n$"));
}

TEST_P(OnAServer, GcRemovesNothingThatIsInUse) {
  Process holder = holdfast_.hold("job", kUntilTold);
  EXPECT_EQ(holdfast_({"counter", "stock", "set", "5"}).code, 0);
  EXPECT_EQ(holdfast_({"gc", "--older-than", "0"}).out, "0 names removed\n");
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"counter", "stock", "get"}).out, "5\n");
}

}  // namespace
}  // namespace holdfast::test

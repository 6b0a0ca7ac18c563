// The program on a Redis server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/eventually.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr const char* kPeer = "6a9a3a0e-0e5b-4c0b-9a51-b3f3c1f0a001:42";
constexpr const char* kUntilTold = "echo $HOLDFAST_TOKEN; read line";

class RedisCli : public testing::Test {
 protected:
  RedisCli() { holdfast_.set("HOLDFAST_URL=" + server_.url()); }

  void peer_locks(const std::string& name) {
    ASSERT_EQ(server_.command({"HSET", name, kPeer, "1"}), "1");
    ASSERT_EQ(server_.command({"PEXPIRE", name, "30000"}), "1");
  }

  RedisServer server_{{"save 3600 1"}};  // or it would draw warnings
  Program holdfast_;
};

TEST_F(RedisCli, RunsACommandWithTheLock) {
  const Outcome outcome = holdfast_({"run", "job", "--", "/bin/sh", "-c",
                                     "echo $HOLDFAST_ENGINE $HOLDFAST_TTL_MS; exit 7"});
  EXPECT_EQ(outcome.code, 7) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("^redis (30000|29[0-9]{3})\n$"));
  EXPECT_EQ(server_.command({"EXISTS", "job"}), "0") << "given back";
}

TEST_F(RedisCli, TakesTheUrlAsAnOption) {
  holdfast_.set("HOLDFAST_URL=local:///nonexistent/x");
  EXPECT_EQ(holdfast_({"run", "--url", server_.url(), "job", "--", "true"}).code, 0);
}

TEST_F(RedisCli, SaysWhoHasIt) {
  Process holder = holdfast_.hold("job", kUntilTold);
  const Outcome refused = holdfast_({"run", "-n", "job", "--", "true"});
  EXPECT_EQ(refused.code, 75);
  EXPECT_THAT(refused.err, ContainsRegex("pid " + std::to_string(holder.pid())));
  const std::string pid = "pid " + std::to_string(holder.pid());
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +job +[^ ]+ " + pid));
  const std::string shown = holdfast_({"show", "job"}).out;
  EXPECT_THAT(shown, ContainsRegex("Holder : .* " + pid));
  EXPECT_THAT(shown, ContainsRegex("Since  : 20"));
  EXPECT_THAT(shown, ContainsRegex("Token  : [0-9]+"));
  holder.write_line("done");
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(holdfast_({"show", "job"}).code, 1);
}

TEST_F(RedisCli, AWaiterFollowsTheHolder) {
  Process holder = holdfast_.hold("job", kUntilTold);
  Process waiter = holdfast_.start({"run", "job", "--", "echo", "in"});
  ASSERT_TRUE(eventually([&] {
    return holdfast_({"show", "job"}).out.find("#1 ") != std::string::npos;
  }));
  holder.write_line("done");
  EXPECT_EQ(waiter.read_line(), "in");
  EXPECT_EQ(waiter.wait(), 0);
}

TEST_F(RedisCli, UnlockEndsTheCommandOfTheHolder) {
  Process holder = holdfast_.start({"run", "job", "--", "/bin/sh", "-c", kUntilTold});
  const std::string token = holder.read_line().value_or("none");
  EXPECT_EQ(holdfast_({"unlock", "job", "--token", token + "0"}).code, 1);
  EXPECT_EQ(holder.wait(0ms), std::nullopt);
  const Outcome unlocked = holdfast_({"unlock", "job", "--token", token});
  EXPECT_EQ(unlocked.code, 0) << unlocked.err;
  EXPECT_EQ(holder.wait(), 76);
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST_F(RedisCli, ShowsAndUnlocksWhatAPeerHolds) {
  peer_locks("job");
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 75);
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +job"));
  EXPECT_THAT(holdfast_({"show", "job"}).out, HasSubstr(kPeer));
  EXPECT_THAT(holdfast_({"show", "--json", "job"}).out,
              HasSubstr(std::string("\"owner\":\"") + kPeer + "\""));
  EXPECT_EQ(holdfast_({"unlock", "job", "--force"}).code, 0);
  EXPECT_EQ(server_.command({"EXISTS", "job"}), "0");
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST_F(RedisCli, ALostServerEndsTheCommandBeforeTheLease) {
  const auto ttl = 2s;
  Process holder = holdfast_.start({"run", "--ttl", stretched(ttl), "job", "--",
                                    "/bin/sh", "-c", "echo $$; read line"});
  const pid_t command = std::stoi(holder.read_line().value_or("0"));
  ASSERT_TRUE(is_alive(command));
  server_.pause();
  EXPECT_TRUE(eventually([&] { return !is_alive(command); }, scaled(ttl)));
  server_.resume();
  EXPECT_EQ(holder.wait(), 76);
}

TEST_F(RedisCli, TellsAboutTheServer) {
  const RedisServer forgetful;
  holdfast_.set("HOLDFAST_URL=" + forgetful.url());
  const Outcome outcome = holdfast_({"run", "job", "--", "true"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("appendonly"));
}

}  // namespace
}  // namespace holdfast::test

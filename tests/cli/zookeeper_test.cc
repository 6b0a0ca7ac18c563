// The program on a ZooKeeper server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "cli/program.h"
#include "support/eventually.h"
#include "support/zookeeper_server.h"
#include "support/zookeeper_shared.h"
#include "support/zookeeper_shell.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

constexpr const char* kUntilTold = "echo $HOLDFAST_TOKEN; read line";
constexpr const char* kPeer = "_c_6a9a3a0e-0e5b-4c0b-9a51-b3f3c1f0a001-lock-";

class ZookeeperCli : public testing::Test {
 protected:
  ZookeeperCli() {
    holdfast_.set("HOLDFAST_URL=zookeeper://127.0.0.1:" + std::to_string(port_) +
                  root_);
  }

  std::string path(const std::string& name) const { return root_ + "/" + name; }

  const std::uint16_t port_ = shared_zookeeper();
  const std::string root_ =
      "/cli-" + std::to_string(getpid()) + "-" + std::to_string(std::random_device()());
  ZookeeperShell shell_{port_};
  Program holdfast_;
};

TEST_F(ZookeeperCli, RunsACommandWithTheLock) {
  const Outcome outcome = holdfast_({"run", "job", "--", "/bin/sh", "-c",
                                     "echo $HOLDFAST_ENGINE $HOLDFAST_TTL_MS; exit 7"});
  EXPECT_EQ(outcome.code, 7) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("^zookeeper (30000|29[0-9]{3})\n$"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(holdfast_({"show", "job"}).code, 1) << "given back";
}

TEST_F(ZookeeperCli, SaysWhoHasIt) {
  Process holder = holdfast_.hold("a/b", kUntilTold);
  const std::string pid = "pid " + std::to_string(holder.pid());
  const Outcome refused = holdfast_({"run", "-n", "a/b", "--", "true"});
  EXPECT_EQ(refused.code, 75);
  EXPECT_THAT(refused.err, HasSubstr(pid));
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +a/b +[^ ]+ " + pid));
  EXPECT_THAT(holdfast_({"ls", "a/c"}).out, testing::Not(HasSubstr("a/b")));
  const std::string shown = holdfast_({"show", "a/b"}).out;
  EXPECT_THAT(shown, MatchesRegex("mutex \"a/b\"\n  Holder : .* " + pid +
                                  " .*\n.*  Since  : 20.*\n  Token  : [0-9]+\n.*"));
  EXPECT_THAT(shell_.children(path("a%2Fb")), SizeIs(1));
  holder.write_line("done");
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(holdfast_({"show", "a/b"}).code, 1);
}

TEST_F(ZookeeperCli, AWaiterFollowsTheHolder) {
  Process holder = holdfast_.hold("job", kUntilTold, {"--fair"});
  Process waiter = holdfast_.start({"run", "job", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast_, "job", 1));
  EXPECT_EQ(holdfast_({"wait", "-n", "job"}).code, 75);
  holder.write_line("done");
  EXPECT_EQ(waiter.read_line(), "in");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holdfast_({"wait", "job"}).code, 0);
}

TEST_F(ZookeeperCli, UnlockEndsTheCommandOfTheHolder) {
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

TEST_F(ZookeeperCli, ShowsAndUnlocksWhatAPeerHolds) {
  shell_.create(root_);
  shell_.create(path("job"));
  const std::string node =
      shell_.create(path("job/") + kPeer, "10.0.0.9", ZOO_EPHEMERAL_SEQUENTIAL);
  const std::string owner = node.substr(path("job/").size());
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 75);
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +job +10.0.0.9"));
  EXPECT_THAT(holdfast_({"show", "job"}).out, HasSubstr("Holder : 10.0.0.9"));
  EXPECT_THAT(holdfast_({"show", "--json", "job"}).out,
              HasSubstr("\"owner\":\"" + owner + "\""));
  EXPECT_EQ(holdfast_({"unlock", "job", "--force"}).code, 0);
  EXPECT_THAT(shell_.children(path("job")), IsEmpty());
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST_F(ZookeeperCli, ReadersAndAWriter) {
  Process reader = holdfast_.hold("prices", kUntilTold, {"--read"});
  EXPECT_EQ(holdfast_({"run", "-n", "--read", "prices", "true"}).code, 0);
  EXPECT_EQ(holdfast_({"run", "-n", "--write", "prices", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"run", "-n", "prices", "true"}).code, 65) << "another kind";
  reader.write_line("done");
  EXPECT_EQ(holdfast_({"run", "--write", "prices", "true"}).code, 0);
}

TEST_F(ZookeeperCli, Permits) {
  Process first = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  Process second = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  EXPECT_EQ(holdfast_({"run", "-n", "--permits", "2", "uploads", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"run", "-n", "--permits", "3", "uploads", "true"}).code, 64);
  EXPECT_EQ(shell_.get(path("uploads/permits")), std::string("\0\0\0\2", 4));
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("semaphore +2 +0 +uploads"));
  first.write_line("done");
  EXPECT_EQ(holdfast_({"run", "--permits", "2", "uploads", "true"}).code, 0);
}

TEST_F(ZookeeperCli, ALeaderIsSeen) {
  Process observer = holdfast_.start({"elect", "scheduler", "--observe"});
  EXPECT_EQ(observer.read_line(), "nobody");
  Process leader = holdfast_.start(
      {"elect", "--payload", "10.0.0.1:80", "scheduler", "--", "sh", "-c", kUntilTold});
  ASSERT_TRUE(leader.read_line());
  EXPECT_EQ(observer.read_line(), "10.0.0.1:80");
  EXPECT_EQ(holdfast_({"elect", "scheduler"}).out, "10.0.0.1:80\n");
  EXPECT_EQ(holdfast_({"elect", "-n", "scheduler", "true"}).code, 75);
  leader.write_line("resign");
  EXPECT_EQ(observer.read_line(), "nobody");
}

TEST_F(ZookeeperCli, ALatchOpens) {
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "1"}).code, 0);
  Process waiter = holdfast_.start({"latch", "ready", "wait"});
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"latch", "ready", "down"}).out, "0\n");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "1"}).code, 0);
}

TEST_F(ZookeeperCli, ABarrierIsRemoved) {
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "set"}).code, 0);
  EXPECT_TRUE(shell_.exists(path("maintenance")));
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "wait", "-n"}).code, 75);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "remove"}).code, 0);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "wait", "-n"}).code, 0);
}

TEST_F(ZookeeperCli, PartiesBeginTogether) {
  Process first = holdfast_.start({"barrier", "round", "enter", "2", "echo", "in"});
  EXPECT_EQ(first.read_line(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"barrier", "round", "enter", "2", "echo", "in"}).code, 0);
  EXPECT_EQ(first.read_line(), "in");
  EXPECT_EQ(first.wait(), 0);
}

TEST_F(ZookeeperCli, ACounterIsANumberOnTheServer) {
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "258"}).out, "258\n");
  EXPECT_EQ(shell_.get(path("stock")), std::string("\0\0\0\0\0\0\1\2", 8));
  EXPECT_EQ(holdfast_({"counter", "stock", "cas", "1", "2"}).code, 1);
  EXPECT_EQ(holdfast_({"counter", "stock", "cas", "258", "-3"}).out, "-3\n");
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "-9223372036854775807"}).code, 64);
  EXPECT_EQ(holdfast_({"counter", "stock", "get"}).out, "-3\n");
  EXPECT_THAT(holdfast_({"show", "--json", "stock"}).out,
              ContainsRegex("^\\[\\{\"kind\":\"counter\".*\"value\":-3\\}\\]\n$"));
}

TEST_F(ZookeeperCli, ALostServerEndsTheCommandBeforeTheLease) {
  ZookeeperServer server;
  holdfast_.set("HOLDFAST_URL=" + server.url());
  const auto ttl = 2s;
  Process holder = holdfast_.start({"run", "--ttl", stretched(ttl), "job", "--",
                                    "/bin/sh", "-c", "echo $$; read line"});
  const pid_t command = std::stoi(holder.read_line().value_or("0"));
  ASSERT_TRUE(is_alive(command));
  server.pause();
  EXPECT_TRUE(eventually([&] { return !is_alive(command); }, scaled(ttl)));
  server.resume();
  EXPECT_EQ(holder.wait(), 76);
}

}  // namespace
}  // namespace holdfast::test

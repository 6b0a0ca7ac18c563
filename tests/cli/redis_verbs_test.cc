// The verbs that are not `run`, and its kinds of locks, on a Redis server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/redis_server.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUntilTold = "echo ready; read line";

class RedisVerbs : public testing::Test {
 protected:
  RedisVerbs() { holdfast_.set("HOLDFAST_URL=" + server_.url()); }

  RedisServer server_{{"save 3600 1"}};  // or it would draw warnings
  Program holdfast_;
};

TEST_F(RedisVerbs, ReadersAndAWriter) {
  Process reader = holdfast_.hold("prices", kUntilTold, {"--read"});
  EXPECT_EQ(holdfast_({"run", "-n", "--read", "prices", "true"}).code, 0);
  EXPECT_EQ(holdfast_({"run", "-n", "--write", "prices", "true"}).code, 75);
  reader.write_line("done");
  EXPECT_EQ(holdfast_({"run", "--write", "prices", "true"}).code, 0);
}

TEST_F(RedisVerbs, Permits) {
  Process first = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  Process second = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  EXPECT_EQ(holdfast_({"run", "-n", "--permits", "2", "uploads", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"run", "-n", "--permits", "3", "uploads", "true"}).code, 64);
  first.write_line("done");
  EXPECT_EQ(holdfast_({"run", "--permits", "2", "uploads", "true"}).code, 0);
}

TEST_F(RedisVerbs, ALeaderIsSeen) {
  Process observer = holdfast_.start({"elect", "scheduler", "--observe"});
  EXPECT_EQ(observer.read_line(), "nobody");
  Process leader = holdfast_.start(
      {"elect", "--payload", "10.0.0.1:80", "scheduler", "--", "sh", "-c", kUntilTold});
  ASSERT_EQ(leader.read_line(), "ready");
  EXPECT_EQ(observer.read_line(), "10.0.0.1:80");
  EXPECT_EQ(holdfast_({"elect", "scheduler"}).out, "10.0.0.1:80\n");
  EXPECT_EQ(holdfast_({"elect", "-n", "scheduler", "true"}).code, 75);
  leader.write_line("resign");
  EXPECT_EQ(observer.read_line(), "nobody");
}

TEST_F(RedisVerbs, ALatchOpens) {
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "1"}).code, 0);
  Process waiter = holdfast_.start({"latch", "ready", "wait"});
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"latch", "ready", "down"}).out, "0\n");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "1"}).code, 0);
}

TEST_F(RedisVerbs, ABarrierIsRemoved) {
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "set"}).code, 0);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "wait", "-n"}).code, 75);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "remove"}).code, 0);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "wait", "-n"}).code, 0);
}

TEST_F(RedisVerbs, PartiesBeginTogether) {
  Process first = holdfast_.start({"barrier", "round", "enter", "2", "echo", "in"});
  EXPECT_EQ(first.read_line(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"barrier", "round", "enter", "2", "echo", "in"}).code, 0);
  EXPECT_EQ(first.read_line(), "in");
  EXPECT_EQ(first.wait(), 0);
}

TEST_F(RedisVerbs, ACounterIsANumberOnTheServer) {
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "-3"}).out, "-3\n");
  EXPECT_EQ(server_.command({"GET", "stock"}), "-3");
  EXPECT_EQ(holdfast_({"counter", "stock", "cas", "1", "2"}).code, 1);
  EXPECT_EQ(holdfast_({"counter", "stock", "cas", "-3", "2"}).out, "2\n");
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "9223372036854775807"}).code, 64);
}

TEST_F(RedisVerbs, AWaitEndsWithTheHolder) {
  Process holder = holdfast_.hold("job", kUntilTold);
  EXPECT_EQ(holdfast_({"wait", "-n", "job"}).code, 75);
  Process waiter = holdfast_.start({"wait", "job"});
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  holder.write_line("done");
  EXPECT_EQ(waiter.wait(), 0);
}

}  // namespace
}  // namespace holdfast::test

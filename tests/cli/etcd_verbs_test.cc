// What the program can do on an etcd server beside a plain lock.

#include <gmock/gmock.h>

#include "cli/etcd_cli.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using EtcdCliVerbs = EtcdCli;

TEST_F(EtcdCliVerbs, ReadersAndAWriter) {
  Process reader = holdfast_.hold("prices", kUntilTold, {"--read"});
  EXPECT_THAT(shell_.below("/app/prices/read/"), SizeIs(1));
  EXPECT_EQ(holdfast_({"run", "-n", "--read", "prices", "true"}).code, 0);
  EXPECT_EQ(holdfast_({"run", "-n", "--write", "prices", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"run", "-n", "prices", "true"}).code, 65) << "another kind";
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("shared_mutex +1 +0 +prices"));
  reader.write_line("done");
  EXPECT_EQ(reader.wait(), 0);
  EXPECT_EQ(holdfast_({"run", "--write", "prices", "true"}).code, 0);
}

TEST_F(EtcdCliVerbs, Permits) {
  Process first = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  Process second = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  EXPECT_EQ(holdfast_({"run", "-n", "--permits", "2", "uploads", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"run", "-n", "--permits", "3", "uploads", "true"}).code, 64);
  EXPECT_EQ(value("/app/uploads/permits"), "2");
  EXPECT_THAT(shell_.below("/app/uploads/claims/"), SizeIs(2));
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("semaphore +2 +0 +uploads"));
  first.write_line("done");
  EXPECT_EQ(holdfast_({"run", "--permits", "2", "uploads", "true"}).code, 0);
}

TEST_F(EtcdCliVerbs, ALeaderIsSeen) {
  Process observer = holdfast_.start({"elect", "scheduler", "--observe"});
  EXPECT_EQ(observer.read_line(), "nobody");
  Process leader = holdfast_.start(
      {"elect", "--payload", "10.0.0.1:80", "scheduler", "--", "sh", "-c", kUntilTold});
  ASSERT_TRUE(leader.read_line());
  EXPECT_EQ(observer.read_line(), "10.0.0.1:80");
  EXPECT_EQ(holdfast_({"elect", "scheduler"}).out, "10.0.0.1:80\n");
  EXPECT_EQ(holdfast_({"elect", "-n", "scheduler", "true"}).code, 75);
  Process listener = etcdctl({"elect", "--listen", "/app/scheduler"});
  EXPECT_EQ(listener.read_line(), shell_.below("/app/scheduler/").at(0).key);
  EXPECT_EQ(listener.read_line(), "10.0.0.1:80");
  leader.write_line("resign");
  EXPECT_EQ(observer.read_line(), "nobody");
}

TEST_F(EtcdCliVerbs, SeesALeaderOfEtcdctl) {
  Process leader = etcdctl({"elect", "/app/scheduler", "10.0.0.9"});
  ASSERT_TRUE(leader.read_line());
  EXPECT_EQ(holdfast_({"elect", "scheduler"}).out, "10.0.0.9\n");
  EXPECT_EQ(holdfast_({"elect", "-n", "scheduler", "true"}).code, 75);
  leader.signal(SIGTERM);
  EXPECT_EQ(leader.wait(), 0);
  EXPECT_EQ(holdfast_({"elect", "-n", "scheduler", "true"}).code, 0);
}

TEST_F(EtcdCliVerbs, ALatchOpens) {
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "2"}).code, 0);
  EXPECT_EQ(value("/app/ready"), "latch 2");
  Process waiter = holdfast_.start({"latch", "ready", "wait"});
  EXPECT_EQ(holdfast_({"latch", "ready", "down"}).out, "1\n");
  EXPECT_EQ(holdfast_({"latch", "ready", "count"}).out, "1\n");
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"latch", "ready", "down"}).out, "0\n");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_FALSE(shell_.get("/app/ready"));
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "1"}).code, 0);
}

TEST_F(EtcdCliVerbs, ABarrierIsRemoved) {
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "set"}).code, 0);
  EXPECT_EQ(value("/app/maintenance"), "");
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "wait", "-n"}).code, 75);
  Process waiter = holdfast_.start({"barrier", "maintenance", "wait"});
  EXPECT_EQ(waiter.wait(scaled(200ms)), std::nullopt);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "remove"}).code, 0);
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "wait", "-n"}).code, 0);
}

TEST_F(EtcdCliVerbs, PartiesBeginTogether) {
  Process first = holdfast_.start({"barrier", "round", "enter", "2", "echo", "in"});
  EXPECT_EQ(first.read_line(scaled(200ms)), std::nullopt);
  EXPECT_THAT(shell_.below("/app/round/waiters/"), SizeIs(1));
  EXPECT_EQ(holdfast_({"barrier", "round", "enter", "2", "echo", "in"}).code, 0);
  EXPECT_EQ(first.read_line(), "in");
  EXPECT_EQ(first.wait(), 0);
  EXPECT_THAT(shell_.below("/app/"), IsEmpty());
}

TEST_F(EtcdCliVerbs, ACounterIsANumberOnTheServer) {
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "258"}).out, "258\n");
  EXPECT_EQ(value("/app/stock"), "258");
  EXPECT_EQ(holdfast_({"counter", "stock", "cas", "1", "2"}).code, 1);
  EXPECT_EQ(holdfast_({"counter", "stock", "cas", "258", "-3"}).out, "-3\n");
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "-9223372036854775807"}).code, 64);
  EXPECT_EQ(holdfast_({"counter", "stock", "get"}).out, "-3\n");
  shell_.put("/app/stock", "12");
  EXPECT_EQ(holdfast_({"counter", "stock", "add"}).out, "13\n");
  EXPECT_THAT(holdfast_({"show", "--json", "stock"}).out,
              ContainsRegex("^\\[\\{\"kind\":\"counter\".*\"value\":13\\}\\]\n$"));
}

TEST_F(EtcdCliVerbs, WhatIsNoNumberIsNotWrittenOver) {
  shell_.put("/app/stock", "many");
  const Outcome outcome = holdfast_({"counter", "stock", "add"});
  EXPECT_EQ(outcome.code, 65) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("another kind"));
  EXPECT_EQ(value("/app/stock"), "many");
}

}  // namespace
}  // namespace holdfast::test

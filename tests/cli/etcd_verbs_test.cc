// SPDX-License-Identifier: Apache-2.0

// What the other verbs store in etcd, and what they see of etcdctl.

#include <gmock/gmock.h>

#include "cli/etcd_cli.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using EtcdCliVerbs = EtcdCli;

TEST_F(EtcdCliVerbs, AReaderHasAKeyOfItsOwn) {
  Process reader = holdfast_.hold("prices", kUntilTold, {"--read"});
  EXPECT_THAT(shell_.below("/app/prices/read/"), SizeIs(1));
}

TEST_F(EtcdCliVerbs, PermitsAreKeys) {
  Process first = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  Process second = holdfast_.hold("uploads", kUntilTold, {"--permits", "2"});
  EXPECT_EQ(value("/app/uploads/permits"), "2");
  EXPECT_THAT(shell_.below("/app/uploads/claims/"), SizeIs(2));
}

TEST_F(EtcdCliVerbs, EtcdctlSeesALeader) {
  Process leader = holdfast_.start(
      {"elect", "--payload", "10.0.0.1:80", "scheduler", "--", "sh", "-c", kUntilTold});
  ASSERT_TRUE(leader.read_line());
  Process listener = etcdctl({"elect", "--listen", "/app/scheduler"});
  EXPECT_EQ(listener.read_line(), shell_.below("/app/scheduler/").at(0).key);
  EXPECT_EQ(listener.read_line(), "10.0.0.1:80");
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

TEST_F(EtcdCliVerbs, LatchesBarriersAndNumbersAreValues) {
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "2"}).code, 0);
  EXPECT_EQ(value("/app/ready"), "latch 2");
  EXPECT_EQ(holdfast_({"latch", "ready", "down", "2"}).out, "0\n");
  EXPECT_FALSE(shell_.get("/app/ready"));
  EXPECT_EQ(holdfast_({"barrier", "maintenance", "set"}).code, 0);
  EXPECT_EQ(value("/app/maintenance"), "");
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "258"}).out, "258\n");
  EXPECT_EQ(value("/app/stock"), "258");
  shell_.put("/app/stock", "12");
  EXPECT_EQ(holdfast_({"counter", "stock", "add"}).out, "13\n");
}

TEST_F(EtcdCliVerbs, PartiesLeaveNothingBehind) {
  Process first = holdfast_.start({"barrier", "round", "enter", "2", "echo", "in"});
  EXPECT_EQ(first.read_line(scaled(200ms)), std::nullopt);
  EXPECT_THAT(shell_.below("/app/round/waiters/"), SizeIs(1));
  EXPECT_EQ(holdfast_({"barrier", "round", "enter", "2", "echo", "in"}).code, 0);
  EXPECT_EQ(first.wait(), 0);
  EXPECT_THAT(shell_.below("/app/"), IsEmpty());
}

TEST_F(EtcdCliVerbs, AValueThatIsNoNumberIsNotOverwritten) {
  shell_.put("/app/stock", "many");
  const Outcome outcome = holdfast_({"counter", "stock", "add"});
  EXPECT_EQ(outcome.code, 65) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("another kind"));
  EXPECT_EQ(value("/app/stock"), "many");
}

}  // namespace
}  // namespace holdfast::test

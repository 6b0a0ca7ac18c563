// SPDX-License-Identifier: Apache-2.0

// Locks of the program on an etcd server, alone and beside `etcdctl lock`.

#include <gmock/gmock.h>

#include "cli/etcd_cli.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(EtcdCli, LeavesNothingBehind) {
  EXPECT_EQ(holdfast_({"run", "job", "--", "true"}).code, 0);
  EXPECT_THAT(shell_.below("/app/"), IsEmpty());
  EXPECT_THAT(shell_.leases(), IsEmpty());
  Process holder = holdfast_.hold("job", kUntilTold);
  EXPECT_EQ(holdfast_({"run", "-w", "200ms", "job", "--", "true"}).code, 75);
  EXPECT_THAT(shell_.below("/app/job/"), SizeIs(1));
}

TEST_F(EtcdCli, TheTokenIsTheCreateRevision) {
  Process holder = holdfast_.hold("a/b", kUntilTold);
  const auto keys = shell_.below("/app/a%2Fb/");
  ASSERT_THAT(keys, SizeIs(1));
  EXPECT_THAT(
      holdfast_({"show", "a/b"}).out,
      HasSubstr("Mode   : exclusive\n  Token  : " + std::to_string(keys[0].created)));
}

TEST_F(EtcdCli, AFairMutexIsAMutex) {
  Process holder = holdfast_.hold("job", kUntilTold, {"--fair"});
  Process waiter = holdfast_.start({"run", "job", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast_, "job", 1));
  holder.write_line("done");
  EXPECT_EQ(waiter.read_line(), "in");
}

TEST_F(EtcdCli, ARevokedLeaseEndsTheCommand) {
  Process holder = holdfast_.hold("job", kUntilTold, {"--ttl", stretched(3s)});
  const auto keys = shell_.below("/app/job/");
  ASSERT_THAT(keys, SizeIs(1));
  shell_.revoke(keys.front().lease);
  EXPECT_EQ(holder.wait(), 76);
}

TEST_F(EtcdCli, ShowsAndUnlocksWhatEtcdctlHolds) {
  Process peer = etcdctl({"lock", "/app/job"});
  const std::string key = peer.read_line().value_or("none");
  const auto keys = shell_.below("/app/job/");
  ASSERT_THAT(keys, SizeIs(1));
  EXPECT_EQ(key, keys.front().key);
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"wait", "-n", "job"}).code, 75);
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +job"));
  EXPECT_THAT(holdfast_({"show", "--json", "job"}).out,
              HasSubstr("\"owner\":\"" + key.substr(key.rfind('/') + 1) + "\""));
  const std::string token = std::to_string(keys.front().created);
  EXPECT_THAT(holdfast_({"show", "job"}).out, HasSubstr("Token  : " + token + "\n"));
  EXPECT_EQ(holdfast_({"unlock", "job", "--token", token}).code, 0);
  EXPECT_THAT(shell_.below("/app/job/"), IsEmpty());
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 0);
}

TEST_F(EtcdCli, SharesOneQueueWithEtcdctl) {
  Process peer = etcdctl({"lock", "/app/job"});
  ASSERT_TRUE(peer.read_line());
  Process ours = holdfast_.start({"run", "job", "--", "/bin/sh", "-c", kUntilTold});
  ASSERT_TRUE(waits(holdfast_, "job", 1));
  Process third = etcdctl({"lock", "/app/job"});
  ASSERT_TRUE(waits(holdfast_, "job", 2));
  peer.signal(SIGTERM);
  EXPECT_TRUE(ours.read_line());
  EXPECT_EQ(third.read_line(scaled(200ms)), std::nullopt);
  ours.write_line("done");
  EXPECT_EQ(ours.wait(), 0);
  EXPECT_TRUE(third.read_line());
  third.signal(SIGTERM);
  EXPECT_EQ(third.wait(), 0);
}

TEST_F(EtcdCli, RawNamesAreKeysAsEtcdctlSpellsThem) {
  Process peer = etcdctl({"lock", "/jobs/a/b"});
  ASSERT_TRUE(peer.read_line());
  holdfast_.set("HOLDFAST_URL=" + server_.url("?names=raw"));
  EXPECT_EQ(holdfast_({"run", "-n", "/jobs/a/b", "--", "true"}).code, 75);
  EXPECT_THAT(holdfast_({"ls", "/jobs"}).out, ContainsRegex("mutex +1 +0 +/jobs/a/b"));
  EXPECT_EQ(holdfast_({"unlock", "--force", "/jobs/a/b"}).code, 0);
  EXPECT_THAT(shell_.below("/jobs/"), IsEmpty());
}

}  // namespace
}  // namespace holdfast::test

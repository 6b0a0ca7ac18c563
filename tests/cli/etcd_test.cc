// Locks of the program on an etcd server, alone and beside `etcdctl lock`.

#include <gmock/gmock.h>

#include "cli/etcd_cli.h"
#include "support/eventually.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(EtcdCli, RunsACommandWithTheLock) {
  const Outcome outcome = holdfast_({"run", "job", "--", "/bin/sh", "-c",
                                     "echo $HOLDFAST_ENGINE $HOLDFAST_TTL_MS; exit 7"});
  EXPECT_EQ(outcome.code, 7) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("^etcd (30000|29[0-9]{3})\n$"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(holdfast_({"show", "job"}).code, 1) << "given back";
  EXPECT_THAT(shell_.below("/app/"), IsEmpty());
  EXPECT_THAT(shell_.leases(), IsEmpty());
}

TEST_F(EtcdCli, SaysWhoHasIt) {
  Process holder = holdfast_.hold("a/b", kUntilTold);
  const std::string pid = "pid " + std::to_string(holder.pid());
  const Outcome refused = holdfast_({"run", "-n", "a/b", "--", "true"});
  EXPECT_EQ(refused.code, 75);
  EXPECT_THAT(refused.err, HasSubstr(pid));
  EXPECT_THAT(holdfast_({"ls"}).out, ContainsRegex("mutex +1 +0 +a/b +[^ ]+ " + pid));
  EXPECT_THAT(holdfast_({"ls", "a/c"}).out, Not(HasSubstr("a/b")));
  const auto keys = shell_.below("/app/a%2Fb/");
  ASSERT_THAT(keys, SizeIs(1));
  EXPECT_THAT(holdfast_({"show", "a/b"}).out,
              MatchesRegex("mutex \"a/b\"\n  Holder : .* " + pid +
                           " .*\n  Mode   : exclusive\n  Token  : " +
                           std::to_string(keys.front().created) + "\n.*"));
  holder.write_line("done");
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(holdfast_({"show", "a/b"}).code, 1);
}

TEST_F(EtcdCli, AWaiterFollowsTheHolder) {
  Process holder = holdfast_.hold("job", kUntilTold, {"--fair"});
  Process waiter = holdfast_.start({"run", "job", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast_, "job", 1));
  EXPECT_EQ(holdfast_({"wait", "-n", "job"}).code, 75);
  holder.write_line("done");
  EXPECT_EQ(waiter.read_line(), "in");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(holdfast_({"wait", "job"}).code, 0);
}

TEST_F(EtcdCli, AWaitEndsWhenItsTimeIsOver) {
  Process holder = holdfast_.hold("job", kUntilTold);
  EXPECT_EQ(holdfast_({"run", "-w", "200ms", "job", "--", "true"}).code, 75);
  EXPECT_EQ(holdfast_({"wait", "-w", "200ms", "job"}).code, 75);
  EXPECT_THAT(shell_.below("/app/job/"), SizeIs(1)) << "no place is left behind";
}

TEST_F(EtcdCli, UnlockEndsTheCommandOfTheHolder) {
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

TEST_F(EtcdCli, AndEtcdctlStandInOneLine) {
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

TEST_F(EtcdCli, ALostServerEndsTheCommandBeforeTheLease) {
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

}  // namespace
}  // namespace holdfast::test

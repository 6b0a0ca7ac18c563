// SPDX-License-Identifier: Apache-2.0

// What the program stores in MariaDB's tables, and what it sees of other clients.

#include <gmock/gmock.h>

#include "cli/mysql_cli.h"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(MysqlCli, ARowNamesTheHolder) {
  Process holder = holdfast_.hold("a/b", kUntilTold);
  const auto rows = shell_.rows(
      "SELECT name, kind, owner = '', holder, host = @@hostname, expires_at > "
      "UTC_TIMESTAMP(6) FROM holdfast_resource");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0], ElementsAre("a/b", "mutex", "0",
                                   HasSubstr(":" + std::to_string(holder.pid()) + ":"),
                                   "1", "1"));
  EXPECT_THAT(holdfast_({"show", "a/b"}).out, ContainsRegex("  Since  : 20"));
  holder.write_line("done");
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_EQ(shell_.value("SELECT expires_at > since FROM holdfast_resource"), "0");
  EXPECT_THAT(shell_.rows("SELECT * FROM holdfast_claim"), IsEmpty());
}

TEST_F(MysqlCli, NumbersAreInTheirRows) {
  EXPECT_EQ(holdfast_({"counter", "stock", "add", "258"}).out, "258\n");
  EXPECT_EQ(holdfast_({"latch", "ready", "set", "2"}).code, 0);
  EXPECT_EQ(holdfast_({"run", "--permits", "3", "uploads", "true"}).code, 0);
  EXPECT_EQ(shell_.rows("SELECT kind, value FROM holdfast_resource ORDER BY name"),
            (std::vector<MysqlShell::Row>{
                {"latch", "2"}, {"counter", "258"}, {"semaphore", "3"}}));
}

TEST_F(MysqlCli, GcRemovesUnusedNames) {
  EXPECT_EQ(holdfast_({"run", "job", "--", "true"}).code, 0);
  EXPECT_EQ(holdfast_({"run", "--fair", "other", "--", "true"}).code, 0);
  EXPECT_EQ(holdfast_({"counter", "stock", "set", "5"}).code, 0);
  EXPECT_EQ(holdfast_({"gc"}).out, "0 names removed\n") << "it was used within a week";
  shell_.run(
      "UPDATE holdfast_resource SET used_at = used_at - INTERVAL 8 DAY, "
      "since = since - INTERVAL 8 DAY WHERE name = 'job'");
  EXPECT_EQ(holdfast_({"gc"}).out, "1 name removed\n");
  EXPECT_EQ(holdfast_({"gc", "--older-than", "0", "--json"}).out, "{\"removed\":1}\n");
  EXPECT_EQ(shell_.value("SELECT GROUP_CONCAT(name) FROM holdfast_resource"), "stock");
}

TEST_F(MysqlCli, TokensGrowOnANameThatWasRemoved) {
  const std::vector<std::string> take{"run", "job", "--",
                                      "sh",  "-c",  "echo $HOLDFAST_TOKEN"};
  const auto before = std::stoull(holdfast_(take).out);
  ASSERT_EQ(holdfast_({"gc", "--older-than", "0"}).out, "1 name removed\n");
  EXPECT_GT(std::stoull(holdfast_(take).out), before);
}

TEST_F(MysqlCli, TheSchemaIsAllThatItNeeds) {
  shell_.run("CREATE DATABASE shop; USE shop;");
  for (int i = 0; i < 2; ++i) shell_.run(holdfast_({"schema", "mysql"}).out);
  shell_.run("GRANT SELECT, INSERT, UPDATE, DELETE ON shop.* TO holdfast");
  use("/shop");
  EXPECT_EQ(holdfast_({"run", "job", "--", "true"}).code, 0);
}

TEST_F(MysqlCli, ModeRowsWorksWithoutGetLock) {
  use("/locks?mode=rows");
  Process holder = holdfast_.hold("job", kUntilTold);
  Process waiter = holdfast_.start({"run", "job", "--", "echo", "in"});
  ASSERT_TRUE(waits(holdfast_, "job", 1));
  holder.write_line("done");
  EXPECT_EQ(waiter.read_line(), "in");
  EXPECT_THAT(holdfast_({"show", "--engine"}).out,
              Not(ContainsRegex("mutex +: [^\n]*notifies")));
}

TEST_F(MysqlCli, ModeGetlockSharesLocksWithOtherPrograms) {
  use("/locks?mode=getlock");
  shell_.run("DO GET_LOCK('job', 0)");
  EXPECT_EQ(holdfast_({"run", "-n", "job", "--", "true"}).code, 75);
  EXPECT_THAT(holdfast_({"show", "job"}).out,
              HasSubstr("connection " + shell_.value("SELECT CONNECTION_ID()")));
  Process waiter = holdfast_.start({"run", "job", "--", "sh", "-c", kUntilTold});
  EXPECT_EQ(waiter.read_line(scaled(200ms)), std::nullopt);
  shell_.run("DO RELEASE_LOCK('job')");
  EXPECT_EQ(waiter.read_line(), "0") << "there are no tokens";
  EXPECT_EQ(shell_.value("SELECT GET_LOCK('job', 0)"), "0");
  EXPECT_EQ(shell_.value("SELECT GET_LOCK('JOB', 0)"), "1")
      << "the names differ in case";
  waiter.write_line("done");
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_THAT(shell_.rows("SELECT * FROM holdfast_resource"), IsEmpty());
}

TEST_F(MysqlCli, ModeGetlockHasNothingButLocks) {
  use("/locks?mode=getlock");
  const std::string name(65, 'x');
  EXPECT_EQ(holdfast_({"run", "-n", name, "--", "true"}).code, 65);
  EXPECT_EQ(holdfast_({"run", "-n", "--fair", "job", "--", "true"}).code, 78);
  EXPECT_EQ(holdfast_({"counter", "stock", "add"}).code, 78);
  EXPECT_EQ(holdfast_({"ls"}).code, 0);
  EXPECT_EQ(holdfast_({"gc"}).out, "0 names removed\n");
}

TEST_F(MysqlCli, TellsAboutTheServer) {
  shell_.run("SET GLOBAL read_only = 1; SET GLOBAL innodb_flush_log_at_trx_commit = 2");
  const std::string told = holdfast_({"show", "--engine"}).out;
  EXPECT_THAT(told, HasSubstr("Warning: the server is read-only"));
  EXPECT_THAT(told, HasSubstr("innodb_flush_log_at_trx_commit"));
  const Outcome refused = holdfast_({"counter", "stock", "add"});
  EXPECT_EQ(refused.code, 69) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("takes no changes"));
}

}  // namespace
}  // namespace holdfast::test

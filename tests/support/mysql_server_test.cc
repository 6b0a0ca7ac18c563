// SPDX-License-Identifier: Apache-2.0

#include "support/mysql_server.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "support/eventually.h"

namespace holdfast::test {
namespace {

TEST(MysqlServer, RemembersOverAKillAndAStop) {
  MysqlServer server;
  MysqlShell shell = server.shell();
  shell.run("CREATE DATABASE d; CREATE TABLE d.t (n INT) ENGINE=InnoDB");
  shell.run("INSERT INTO d.t VALUES (7)");
  for (const bool kill : {true, false}) {
    kill ? server.kill() : server.stop();
    EXPECT_FALSE(server.running());
    EXPECT_THROW(shell.value("SELECT 1"), std::runtime_error);
    server.start();
    EXPECT_EQ(shell.value("SELECT n FROM d.t"), "7");
  }
}

TEST(MysqlServer, MayHaveATimeZone) {
  const MysqlServer server({"--default-time-zone=+05:00"});
  EXPECT_EQ(server.shell().value("SELECT TIMESTAMPDIFF(HOUR, UTC_TIMESTAMP(), NOW())"),
            "5");
}

TEST(MysqlServer, SaysWhyItDoesNotStart) {
  EXPECT_THROW(MysqlServer({"--no-such-argument"}), std::runtime_error);
}

TEST(MysqlServer, LetsRootInThroughTheSocketAlone) {
  const MysqlServer server;
  EXPECT_EQ(server.shell().value("SELECT GROUP_CONCAT(User, '@', Host ORDER BY 1) "
                                 "FROM mysql.user WHERE User <> 'mariadb.sys'"),
            "holdfast@%,root@localhost");
}

TEST(MysqlServer, GivesItsUserOurTablesAlone) {
  MysqlServer server;
  server.make_database("locks");
  EXPECT_EQ(server.shell().number("SELECT COUNT(*) FROM mysql.tables_priv "
                                  "WHERE User = 'holdfast' AND Db = 'locks'"),
            3);
  EXPECT_EQ(server.shell().number("SELECT COUNT(*) FROM mysql.db "
                                  "WHERE User = 'holdfast'"),
            0);
}

TEST(MysqlShell, TellsRows) {
  const MysqlServer server;
  MysqlShell shell = server.shell();
  EXPECT_EQ(shell.rows("SELECT 1, NULL, 'a' UNION SELECT 2, 'b', ''"),
            (std::vector<MysqlShell::Row>{{"1", "NULL", "a"}, {"2", "b", ""}}));
  EXPECT_TRUE(shell.rows("SELECT 1 LIMIT 0").empty());
  EXPECT_EQ(shell.value("SELECT 1 LIMIT 0"), "");
  EXPECT_THROW(shell.run("DO 1; NONSENSE"), std::runtime_error);
  EXPECT_EQ(shell.value("SELECT 'still there'"), "still there");
}

TEST(MysqlShell, SeesAndKillsSessions) {
  const MysqlServer server;
  MysqlShell shell = server.shell();
  MysqlShell holder = server.shell();
  ASSERT_EQ(holder.value("SELECT GET_LOCK('bell', 0)"), "1");
  std::jthread waits([&] {
    MysqlShell waiter = server.shell();
    EXPECT_THROW(waiter.value("SELECT GET_LOCK('bell', 3600)"), std::runtime_error);
  });
  const auto waiting = [&]() -> std::uint64_t {
    for (const MysqlSession& each : shell.sessions("root")) {
      if (each.state == "User lock") return each.id;
    }
    return 0;
  };
  ASSERT_TRUE(eventually([&] { return waiting() != 0; }));
  const auto id = waiting();
  shell.kill_connection(id);
  EXPECT_TRUE(eventually([&] { return waiting() == 0; }));
  EXPECT_NO_THROW(shell.kill_connection(id));
  EXPECT_GT(shell.figure("Questions"), 1);
}

}  // namespace
}  // namespace holdfast::test

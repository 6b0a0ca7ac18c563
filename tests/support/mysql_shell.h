// SPDX-License-Identifier: Apache-2.0

// tests/support/mysql_shell.h - reads and changes rows and sessions behind a client's
// back.
//
//   MysqlShell shell(server);
//   shell.run("DELETE FROM locks.holdfast_resource");
//   EXPECT_EQ(shell.value("SELECT COUNT(*) FROM locks.holdfast_resource"), "0");
//   shell.kill_connection(shell.sessions("holdfast").front().id);

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct st_mysql;

namespace holdfast::test {

struct MysqlSession {
  std::uint64_t id;
  std::string command;    // "Sleep", "Execute", "Query"
  std::string state;      // "User lock" means that it waits in GET_LOCK
  std::string statement;  // what it does now, or empty
};

// The shell is root, on the server's unix socket. It throws std::runtime_error, with
// one sentence, when an answer is an error or none comes. It connects on first use, and
// again after the server has been restarted. The class is not safe for concurrent use.
class MysqlShell {
 public:
  using Row = std::vector<std::string>;  // NULL is spelt "NULL"

  explicit MysqlShell(std::string socket);
  MysqlShell(MysqlShell&&) noexcept;
  ~MysqlShell();

  void run(const std::string& statements);  // several, with ';' between them
  std::vector<Row> rows(const std::string& query);
  std::string value(
      const std::string& query);  // of the first row, or empty if there is none
  long number(const std::string& query);

  std::vector<MysqlSession> sessions(const std::string& user);  // the oldest first
  void kill_connection(std::uint64_t id);  // The session may have ended already.

  // Returns a value of SHOW GLOBAL STATUS, such as "Com_stmt_execute" or "Questions".
  long figure(const std::string& name);

 private:
  struct Close {
    void operator()(st_mysql* connection) const noexcept;
  };
  st_mysql* connection();
  std::vector<Row> answer(st_mysql* connection);

  std::string socket_;
  std::unique_ptr<st_mysql, Close> connection_;
};

}  // namespace holdfast::test

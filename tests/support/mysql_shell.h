// tests/support/mysql_shell.h - looks at rows and sessions and meddles with them.
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
  std::string state;      // "User lock": it waits in GET_LOCK
  std::string statement;  // what it does now; empty: nothing
};

// Root, on the server's unix socket. Throws std::runtime_error, in one sentence, when
// an answer is an error or none comes. Connects when first asked, and again after the
// server has been restarted. Not safe for concurrent use.
class MysqlShell {
 public:
  using Row = std::vector<std::string>;  // NULL is spelt "NULL"

  explicit MysqlShell(std::string socket);
  MysqlShell(MysqlShell&&) noexcept;
  ~MysqlShell();

  void run(const std::string& statements);  // several, with ';' between them
  std::vector<Row> rows(const std::string& query);
  std::string value(
      const std::string& query);  // of the first row; empty: there is none
  long number(const std::string& query);

  std::vector<MysqlSession> sessions(const std::string& user);  // the oldest first
  void kill_connection(std::uint64_t id);  // of which it may be rid already

  // What SHOW GLOBAL STATUS says: "Com_stmt_execute", "Questions".
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

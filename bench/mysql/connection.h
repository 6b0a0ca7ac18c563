// SPDX-License-Identifier: Apache-2.0

// bench/mysql/connection.h - a bare connection to the server at HOLDFAST_URL, and what
// is prepared on it.
//
//   Connection connection;
//   Prepared update(connection, "UPDATE commits SET number = number + 1");
//   update.run();

#pragma once

#include <mysql.h>

#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::bench::mysql {

inline constexpr const char* kUser = "bench";
inline constexpr const char* kDatabase = "bench";

// This class and the next throw std::runtime_error with the server's words. They are
// not safe for concurrent use.
class Connection {
 public:
  explicit Connection(const char* database = kDatabase);

  void run(const std::string& statement);

  // Returns the figure of one row with a name and a figure, such as SHOW STATUS gives.
  double figure(const std::string& query);

  MYSQL* handle() const noexcept { return handle_.get(); }

 private:
  struct Close {
    void operator()(MYSQL* handle) const noexcept { mysql_close(handle); }
  };
  std::unique_ptr<MYSQL, Close> handle_;
};

// This is a statement that returns no rows.
class Prepared {
 public:
  Prepared(Connection& connection, const std::string& statement);

  void run();
  void set(std::uint64_t argument);  // sets its one question mark

  // Returns false if there is such a row already, or after a deadlock.
  bool try_run();
  std::uint64_t inserted() const noexcept;  // returns the id

 private:
  [[noreturn]] void fail() const;
  struct Close {
    void operator()(MYSQL_STMT* statement) const noexcept {
      mysql_stmt_close(statement);
    }
  };
  std::unique_ptr<MYSQL_STMT, Close> statement_;
  std::uint64_t argument_ = 0;
};

}  // namespace holdfast::bench::mysql

// SPDX-License-Identifier: Apache-2.0

// engines/mysql/transport/connection.h - one connection to the server, and the
// statements that were prepared on it.
//
// A connection does not reconnect by itself, because the bells that it holds end with
// it. A statement that is not answered in time closes it.

#pragma once

#include <mysql.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engines/mysql/options.h"
#include "engines/mysql/transport/statement.h"
#include "holdfast/engine/claim.h"
#include "holdfast/result.h"

namespace holdfast::mysql {

// One thread at a time uses a connection; `cut` and `is_cut` may be called from any.
class Connection {
 public:
  // Connects to the first of the hosts that accepts. The server ends a connection on
  // which nothing was asked for `idle`, and with it the bells that it holds.
  static Result<std::shared_ptr<Connection>> open(const Options& options,
                                                  std::chrono::seconds idle,
                                                  engine::Deadline until);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs a statement. If it was rolled back in favour of another, it is sent again.
  Result<Answer> run(const Sql& sql, const Args& args, engine::Deadline until);
  // Runs it once. Errc::unavailable: it was rolled back, or waited for a second.
  Result<Answer> try_to_run(const Sql& sql, const Args& args, engine::Deadline until);

  // Runs a statement that has no values and is not prepared.
  Result<std::vector<std::vector<std::string>>> ask(const std::string& text,
                                                    engine::Deadline until);

  // Ends the connection. A thread that waits for an answer gets a failure.
  void cut() noexcept;
  bool is_cut() const noexcept { return cut_.load(std::memory_order_acquire); }

  // Returns whether it is cut, or was idle for so long that the server may end it at
  // any time.
  bool is_over() const noexcept;
  // Returns the same, and true also if the server has ended it.
  bool is_stale() const noexcept;

  // Returns whether the server that sent the greeting is the one that answers: there is
  // no proxy.
  bool is_direct() const noexcept { return direct_; }

  // Returns the error of the last statement, or zero.
  unsigned last_error() const noexcept { return last_error_; }

  std::atomic<int> bells{0};  // the number that it holds

 private:
  using Prepared = std::pair<const Sql*, MYSQL_STMT*>;

  Connection(MYSQL* handle, std::chrono::seconds idle) noexcept;

  Result<void> set_up(engine::Deadline until);
  Result<MYSQL_STMT*> prepare(const Sql& sql);
  Result<Answer> run_once(const Sql& sql, const Args& args);
  Result<std::vector<Row>> fetch(MYSQL_STMT* statement, const char* columns);
  Failure fail(unsigned error, const std::string& text);
  Failure has_ended() const;
  void touch() noexcept;

  MYSQL* const handle_;
  const std::chrono::seconds idle_;
  int descriptor_ = -1;
  bool encrypted_ = false;
  bool direct_ = true;
  unsigned last_error_ = 0;
  Clock::time_point used_;
  std::vector<Prepared> prepared_;
  std::atomic<bool> cut_{false};
};

}  // namespace holdfast::mysql

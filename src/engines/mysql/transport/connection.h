// engines/mysql/transport/connection.h - one connection to the server, and the
// statements that were prepared on it.
//
// It is never opened again by itself: what hangs on it, the bells that it holds, ends
// with it. A statement that is not answered in time closes it.

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

// Used by one thread at a time, except for `cut` and `is_cut`.
class Connection {
 public:
  // To the first of the hosts that lets us in. `idle`: how long the server keeps it,
  // and all that hangs on it, if nothing is asked.
  static Result<std::shared_ptr<Connection>> open(const Options& options,
                                                  std::chrono::seconds idle,
                                                  engine::Deadline until);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Statements that were rolled back for the sake of others are sent again.
  Result<Answer> run(const Sql& sql, Args& args, engine::Deadline until);
  // Then they are not: Errc::unavailable after about a second.
  Result<Answer> try_to_run(const Sql& sql, Args& args, engine::Deadline until);

  // A statement of ours without any values, as it stands.
  Result<std::vector<std::vector<std::string>>> ask(const std::string& text,
                                                    engine::Deadline until);

  // From any thread: whoever waits for an answer is told that there will be none.
  void cut() noexcept;
  bool is_cut() const noexcept { return cut_.load(std::memory_order_acquire); }

  // Cut, or idle for so long that the server may end it any time.
  bool is_over() const noexcept;
  // The same, or ended by the server.
  bool is_stale() const noexcept;

  // Whether the server that greeted us is the one that answers: nobody stands between.
  bool is_direct() const noexcept { return direct_; }

  // Of the last statement that failed.
  unsigned last_error() const noexcept { return last_error_; }

  std::atomic<int> bells{0};  // that it holds

 private:
  using Prepared = std::pair<const Sql*, MYSQL_STMT*>;

  Connection(MYSQL* handle, std::chrono::seconds idle) noexcept;

  Result<void> set_up(engine::Deadline until);
  Result<MYSQL_STMT*> prepare(const Sql& sql);
  Result<Answer> run_once(const Sql& sql, Args& args);
  Result<std::vector<Row>> fetch(MYSQL_STMT* statement, const char* columns);
  Failure fail(unsigned error, const std::string& text);
  void touch() noexcept { used_ = Clock::now(); }

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

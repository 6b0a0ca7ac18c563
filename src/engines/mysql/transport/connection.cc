// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/transport/connection.h"

#include <mysqld_error.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <thread>

#include "base/common_failures.h"
#include "base/pause.h"
#include "engines/mysql/errors.h"
#include "engines/mysql/transport/call_deadline.h"
#include "engines/mysql/transport/connect.h"

namespace holdfast::mysql {
namespace {

using namespace std::chrono_literals;

constexpr auto kFresh = 20ms;
constexpr std::size_t kLongestText = 1100;  // of a column, in bytes

using Results = std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)>;

// Returns "MariaDB at 10.0.0.1:3306", or names the path of a socket.
std::string server_at(MYSQL* handle) {
  std::string text = mariadb_connection(handle) != 0 ? "MariaDB at " : "MySQL at ";
  if (handle->unix_socket != nullptr) return text + handle->unix_socket;
  if (handle->host != nullptr) text += handle->host;
  return text + ":" + std::to_string(handle->port);
}

}  // namespace

Result<std::shared_ptr<Connection>> Connection::open(const Options& options,
                                                     std::chrono::seconds idle,
                                                     engine::Deadline until) {
  Failure why(Errc::unavailable, "the URL names no host of MySQL: name one");
  const std::size_t ways = options.socket.empty() ? options.hosts.size() : 1;
  for (std::size_t i = 0; i < ways; ++i) {
    if (i > 0 && Clock::now() >= until)
      return why;  // The library would wait for a whole second.
    auto handle = connect_to(
        options, options.socket.empty() ? &options.hosts[i] : nullptr, until);
    if (!handle) {
      why = std::move(handle).error();
      continue;
    }
    std::shared_ptr<Connection> connection(new Connection(handle->release(), idle));
    if (auto ready = connection->set_up(until); !ready) {
      why = std::move(ready).error();
      if (why.code == Errc::outcome_unknown)
        why.code = make_error_code(Errc::unavailable);
      continue;
    }
    return connection;
  }
  return why;
}

// All times are UTC, whatever the zone of the server. A proxy may give each statement
// another connection, which then has another number than the greeting said.
Result<void> Connection::set_up(engine::Deadline until) {
  const std::string seconds = std::to_string(idle_.count());
  auto set =
      ask("SET SESSION time_zone='+00:00', sql_mode='STRICT_ALL_TABLES', "
          "autocommit=1, innodb_lock_wait_timeout=1, wait_timeout=" +
              seconds + ", interactive_timeout=" + seconds,
          until);
  if (!set) return std::move(set).error();
  auto level = ask("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", until);
  if (!level) return std::move(level).error();
  const auto id = ask("SELECT CONNECTION_ID()", until);
  if (!id) return id.error();
  direct_ = id->size() == 1 &&
            id->front().front() == std::to_string(mysql_thread_id(handle_));
  return {};
}

Connection::Connection(MYSQL* handle, std::chrono::seconds idle) noexcept
    : handle_(handle), idle_(idle), descriptor_(mysql_get_socket(handle)) {
  encrypted_ = mysql_get_ssl_cipher(handle) != nullptr;
  touch();
}

// The connection is closed first; otherwise the library would send a packet to close
// each statement.
Connection::~Connection() {
  const CallDeadline deadline(Clock::now() + 100ms);
  mysql_close(handle_);
  for (const auto& [sql, statement] : prepared_) mysql_stmt_close(statement);
}

bool Connection::is_over() const noexcept {
  return is_cut() || (bells == 0 && Clock::now() - used_ > idle_ * 3 / 4);
}

bool Connection::is_stale() const noexcept {
  if (is_over()) return true;
  if (Clock::now() - used_ < kFresh) return false;
  pollfd watched{descriptor_, POLLIN, 0};
  return poll(&watched, 1, 0) != 0;  // A server sends nothing unasked but the end.
}

void Connection::cut() noexcept {
  if (!cut_.exchange(true, std::memory_order_acq_rel)) {
    (void)shutdown(descriptor_, SHUT_RDWR);
  }
}

Failure Connection::fail(unsigned error, const std::string& text) {
  last_error_ = error;
  Failure why = why_failed(error, text, server_at(handle_), CallDeadline::is_over());
  if (mysql::is_cut(error)) cut();
  return why;
}

Failure Connection::has_ended() const {
  return base::connection_lost(server_at(handle_), Errc::unavailable);
}

Result<MYSQL_STMT*> Connection::prepare(const Sql& sql) {
  const auto found = std::ranges::find(prepared_, &sql, &Prepared::first);
  if (found != prepared_.end()) return found->second;
  MYSQL_STMT* const statement = mysql_stmt_init(handle_);
  if (statement == nullptr) return base::no_memory("ask", server_at(handle_));
  const std::string_view text = sql.text;
  if (mysql_stmt_prepare(statement, text.data(), text.size()) != 0) {
    Failure why = fail(mysql_stmt_errno(statement), mysql_stmt_error(statement));
    mysql_stmt_close(statement);
    if (why.code == Errc::outcome_unknown)
      why.code = make_error_code(Errc::unavailable);
    return why;
  }
  prepared_.emplace_back(&sql, statement);
  return statement;
}

Result<Answer> Connection::try_to_run(const Sql& sql, const Args& args,
                                      engine::Deadline until) {
  if (is_cut()) return has_ended();
  const CallDeadline deadline(until);
  if (encrypted_) CallDeadline::set_socket_timeouts(descriptor_, until);
  return run_once(sql, args);
}

Result<Answer> Connection::run(const Sql& sql, const Args& args,
                               engine::Deadline until) {
  for (std::chrono::nanoseconds pause = 0ms;;) {
    auto answer = try_to_run(sql, args, until);
    if (answer || !is_in_the_way(last_error_)) return answer;
    pause = base::grown(pause, 1ms, 50ms);
    if (Clock::now() + pause >= until) return answer;
    std::this_thread::sleep_for(base::jittered(pause));
  }
}

Result<Answer> Connection::run_once(const Sql& sql, const Args& args) {
  last_error_ = 0;
  auto prepared = prepare(sql);
  if (!prepared) return std::move(prepared).error();
  MYSQL_STMT* const statement = *prepared;
  const auto failed = [&] {
    return fail(mysql_stmt_errno(statement), mysql_stmt_error(statement));
  };
  auto* const binds = const_cast<MYSQL_BIND*>(args.binds());  // They are copied.
  if (args.size() > 0 && mysql_stmt_bind_param(statement, binds) != 0) {
    return Failure(Errc::internal,
                   "a statement for " + server_at(handle_) + " cannot be made (" +
                       mysql_stmt_error(statement) + "): update libmariadb");
  }
  if (mysql_stmt_execute(statement) != 0) return failed();
  touch();
  Answer answer;
  if (*sql.columns == '\0') {
    answer.matched = mysql_stmt_affected_rows(statement);
    answer.id = mysql_stmt_insert_id(statement);
    return answer;
  }
  auto rows = fetch(statement, sql.columns);
  if (!rows) return std::move(rows).error();
  answer.rows = *std::move(rows);
  return answer;
}

Result<std::vector<Row>> Connection::fetch(MYSQL_STMT* statement, const char* columns) {
  const std::size_t width = std::string_view(columns).size();
  std::vector<MYSQL_BIND> binds(width);
  std::vector<std::int64_t> numbers(width);
  std::vector<unsigned long> lengths(width);
  std::vector<my_bool> nulls(width);
  std::vector<std::array<char, kLongestText>> texts(width);
  for (std::size_t i = 0; i < width; ++i) {
    const bool number = columns[i] == 'n';
    binds[i].buffer_type = number ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_STRING;
    binds[i].buffer = number ? static_cast<void*>(&numbers[i]) : texts[i].data();
    binds[i].buffer_length = number ? sizeof numbers[i] : kLongestText;
    binds[i].length = &lengths[i];
    binds[i].is_null = &nulls[i];
  }
  if (mysql_stmt_bind_result(statement, binds.data()) != 0 ||
      mysql_stmt_store_result(statement) != 0) {
    return fail(mysql_stmt_errno(statement), mysql_stmt_error(statement));
  }
  std::vector<Row> rows;
  int fetched = 0;
  while ((fetched = mysql_stmt_fetch(statement)) == 0 ||
         fetched == MYSQL_DATA_TRUNCATED) {
    Row& row = rows.emplace_back(width);
    for (std::size_t i = 0; i < width; ++i) {
      row[i].null = nulls[i] != 0;
      if (row[i].null) continue;
      if (columns[i] == 'n') {
        row[i].number = numbers[i];
      } else {
        row[i].text.assign(texts[i].data(),
                           std::min<std::size_t>(lengths[i], kLongestText));
      }
    }
  }
  mysql_stmt_free_result(statement);
  if (fetched == MYSQL_NO_DATA) return rows;
  return fail(mysql_stmt_errno(statement), mysql_stmt_error(statement));
}

Result<std::vector<std::vector<std::string>>> Connection::ask(const std::string& text,
                                                              engine::Deadline until) {
  if (is_cut()) return has_ended();
  const CallDeadline deadline(until);
  if (encrypted_) CallDeadline::set_socket_timeouts(descriptor_, until);
  last_error_ = 0;
  if (mysql_real_query(handle_, text.data(), text.size()) != 0) {
    return fail(mysql_errno(handle_), mysql_error(handle_));
  }
  touch();
  std::vector<std::vector<std::string>> rows;
  const Results results(mysql_store_result(handle_), mysql_free_result);
  if (results == nullptr) {
    if (mysql_errno(handle_) != 0)
      return fail(mysql_errno(handle_), mysql_error(handle_));
    return rows;
  }
  while (MYSQL_ROW row = mysql_fetch_row(results.get())) {
    auto& cells = rows.emplace_back();
    for (unsigned i = 0; i < mysql_num_fields(results.get()); ++i) {
      cells.emplace_back(row[i] != nullptr ? row[i] : "");
    }
  }
  return rows;
}

void Connection::touch() noexcept { used_ = Clock::now(); }

}  // namespace holdfast::mysql

// SPDX-License-Identifier: Apache-2.0

#include "support/mysql_shell.h"

#include <mysql.h>

#include <stdexcept>
#include <utility>

#include "support/scale.h"

namespace holdfast::test {
namespace {

constexpr unsigned kNoSuchThread = 1094;

[[noreturn]] void fail(st_mysql* connection) {
  throw std::runtime_error(mysql_error(connection));
}

struct FreeResult {
  void operator()(MYSQL_RES* result) const noexcept { mysql_free_result(result); }
};

}  // namespace

void MysqlShell::Close::operator()(st_mysql* connection) const noexcept {
  mysql_close(connection);
}

MysqlShell::MysqlShell(std::string socket) : socket_(std::move(socket)) {}
MysqlShell::MysqlShell(MysqlShell&&) noexcept = default;
MysqlShell::~MysqlShell() = default;

void MysqlShell::run(const std::string& statements) { rows(statements); }

std::vector<MysqlShell::Row> MysqlShell::rows(const std::string& query) {
  st_mysql* const to = connection();
  if (mysql_real_query(to, query.data(), query.size()) != 0) fail(to);
  std::vector<Row> first = answer(to);
  for (int more = mysql_next_result(to); more >= 0; more = mysql_next_result(to)) {
    if (more > 0) fail(to);
    answer(to);
  }
  return first;
}

std::string MysqlShell::value(const std::string& query) {
  const auto all = rows(query);
  return all.empty() ? "" : all.front().front();
}

long MysqlShell::number(const std::string& query) { return std::stol(value(query)); }

std::vector<MysqlSession> MysqlShell::sessions(const std::string& user) {
  std::vector<MysqlSession> result;
  for (Row& each : rows("SELECT id, command, IFNULL(state, ''), IFNULL(info, '') "
                        "FROM information_schema.processlist WHERE user = '" +
                        user + "' ORDER BY id")) {
    result.push_back({std::stoull(each[0]), each[1], each[2], each[3]});
  }
  return result;
}

void MysqlShell::kill_connection(std::uint64_t id) {
  const std::string statement = "KILL CONNECTION " + std::to_string(id);
  if (mysql_query(connection(), statement.c_str()) == 0) return;
  if (mysql_errno(connection_.get()) != kNoSuchThread) fail(connection_.get());
}

long MysqlShell::figure(const std::string& name) {
  return number(
      "SELECT variable_value FROM information_schema.global_status "
      "WHERE variable_name = '" +
      name + "'");
}

st_mysql* MysqlShell::connection() {
  if (connection_ && mysql_ping(connection_.get()) == 0) return connection_.get();
  connection_.reset(mysql_init(nullptr));
  const auto limit = static_cast<unsigned>(patience().count() / 1000);
  for (const auto option : {MYSQL_OPT_CONNECT_TIMEOUT, MYSQL_OPT_READ_TIMEOUT}) {
    mysql_options(connection_.get(), option, &limit);
  }
  if (mysql_real_connect(connection_.get(), nullptr, "root", nullptr, nullptr, 0,
                         socket_.c_str(), CLIENT_MULTI_STATEMENTS) == nullptr) {
    const std::string why = mysql_error(connection_.get());
    connection_.reset();
    throw std::runtime_error(why);
  }
  return connection_.get();
}

std::vector<MysqlShell::Row> MysqlShell::answer(st_mysql* connection) {
  const std::unique_ptr<MYSQL_RES, FreeResult> result(mysql_store_result(connection));
  if (!result && mysql_errno(connection) != 0) fail(connection);
  std::vector<Row> all;
  if (!result) return all;
  while (const MYSQL_ROW row = mysql_fetch_row(result.get())) {
    const unsigned long* const sizes = mysql_fetch_lengths(result.get());
    Row& last = all.emplace_back();
    for (unsigned i = 0; i < mysql_num_fields(result.get()); ++i) {
      last.push_back(row[i] == nullptr ? "NULL" : std::string(row[i], sizes[i]));
    }
  }
  return all;
}

}  // namespace holdfast::test

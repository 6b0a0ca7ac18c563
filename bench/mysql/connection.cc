// SPDX-License-Identifier: Apache-2.0

#include "mysql/connection.h"

#include <mysqld_error.h>

#include <cstdlib>
#include <stdexcept>

namespace holdfast::bench::mysql {
namespace {

unsigned port_of_the_server() {
  const char* const set = std::getenv("HOLDFAST_URL");
  const std::string url = set == nullptr ? "" : set;
  return static_cast<unsigned>(std::stoul(url.substr(url.rfind(':') + 1)));
}

}  // namespace

Connection::Connection(const char* database) : handle_(mysql_init(nullptr)) {
  if (mysql_real_connect(handle(), "127.0.0.1", kUser, nullptr, database,
                         port_of_the_server(), nullptr, 0) == nullptr) {
    throw std::runtime_error(mysql_error(handle()));
  }
}

void Connection::run(const std::string& statement) {
  if (mysql_real_query(handle(), statement.data(), statement.size()) != 0) {
    throw std::runtime_error(mysql_error(handle()));
  }
}

double Connection::figure(const std::string& query) {
  run(query);
  MYSQL_RES* const rows = mysql_store_result(handle());
  MYSQL_ROW const row = rows != nullptr ? mysql_fetch_row(rows) : nullptr;
  const double result = row != nullptr ? std::strtod(row[1], nullptr) : -1;
  mysql_free_result(rows);
  if (result < 0) throw std::runtime_error("no figure: " + query);
  return result;
}

Prepared::Prepared(Connection& connection, const std::string& statement)
    : statement_(mysql_stmt_init(connection.handle())) {
  if (mysql_stmt_prepare(statement_.get(), statement.data(), statement.size()) != 0) {
    fail();
  }
}

void Prepared::run() {
  if (mysql_stmt_execute(statement_.get()) != 0) fail();
}

void Prepared::set(std::uint64_t argument) {
  argument_ = argument;
  MYSQL_BIND bound = {};
  bound.buffer_type = MYSQL_TYPE_LONGLONG;
  bound.buffer = &argument_;
  bound.is_unsigned = 1;
  if (mysql_stmt_bind_param(statement_.get(), &bound) != 0) fail();
}

bool Prepared::try_run() {
  if (mysql_stmt_execute(statement_.get()) == 0) return true;
  const unsigned why = mysql_stmt_errno(statement_.get());
  if (why != ER_DUP_ENTRY && why != ER_LOCK_DEADLOCK) fail();
  return false;
}

std::uint64_t Prepared::inserted() const noexcept {
  return mysql_stmt_insert_id(statement_.get());
}

void Prepared::fail() const {
  throw std::runtime_error(mysql_stmt_error(statement_.get()));
}

}  // namespace holdfast::bench::mysql

// SPDX-License-Identifier: Apache-2.0

#include "stores/mysql.h"

#include <mysqld_error.h>

#include <mutex>

#include "places.h"
#include "stores/stock.h"

namespace holdfast::shop {
namespace {

MYSQL* new_mysql_handle() {
  static std::once_flag once;  // Services have many threads.
  std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
  return mysql_init(nullptr);
}

}  // namespace

Mysql::Mysql(const Places& places) : handle_(new_mysql_handle()) {
  if (mysql_real_connect(handle_.get(), "127.0.0.1", "holdfast",
                         places.mysql_password.c_str(), "holdfast", places.mysql,
                         nullptr, CLIENT_FOUND_ROWS) == nullptr) {
    throw StoreError(std::string("MySQL: ") + mysql_error(handle_.get()));
  }
}

long Mysql::run(const std::string& statement) {
  if (mysql_real_query(handle_.get(), statement.data(), statement.size()) != 0) {
    throw StoreError(std::string("MySQL: ") + mysql_error(handle_.get()));
  }
  return static_cast<long>(mysql_affected_rows(handle_.get()));
}

bool Mysql::insert(const std::string& statement) {
  try {
    run(statement);
    return true;
  } catch (const StoreError&) {
    const unsigned why = mysql_errno(handle_.get());
    if (why == ER_DUP_ENTRY || why == ER_LOCK_DEADLOCK) return false;
    throw;
  }
}

std::vector<std::string> Mysql::ask(const std::string& query) {
  run(query);
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> rows(
      mysql_store_result(handle_.get()), mysql_free_result);
  MYSQL_ROW const row = rows ? mysql_fetch_row(rows.get()) : nullptr;
  std::vector<std::string> columns;
  if (row == nullptr) return columns;
  for (unsigned i = 0; i < mysql_num_fields(rows.get()); ++i) {
    columns.emplace_back(row[i] == nullptr ? "" : row[i]);
  }
  return columns;
}

}  // namespace holdfast::shop

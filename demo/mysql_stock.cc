// SPDX-License-Identifier: Apache-2.0

#include "mysql_stock.h"

#include <mysqld_error.h>

#include <cstdlib>
#include <mutex>

#include "errors.h"

namespace holdfast::demo {
namespace {

constexpr const char* kRead = "SELECT count, version FROM db_stock WHERE id = 1";

const char* text_or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

MYSQL* new_handle() {
  static std::once_flag once;  // Shops have many threads.
  std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
  return mysql_init(nullptr);
}

bool is_denied(unsigned why) {
  return why == ER_ACCESS_DENIED_ERROR || why == ER_DBACCESS_DENIED_ERROR ||
         why == ER_TABLEACCESS_DENIED_ERROR;
}

}  // namespace

MysqlStock::MysqlStock(const MysqlUrl& url) : handle_(new_handle()) {
  const unsigned seconds = 10;
  mysql_optionsv(handle_.get(), MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
  const unsigned no_files = 0;
  mysql_optionsv(handle_.get(), MYSQL_OPT_LOCAL_INFILE, &no_files);
  const my_bool tls = url.tls ? 1 : 0;
  mysql_optionsv(handle_.get(), MYSQL_OPT_SSL_ENFORCE, &tls);
  mysql_optionsv(handle_.get(), MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &tls);
  if (mysql_real_connect(handle_.get(), text_or_null(url.host), text_or_null(url.user),
                         text_or_null(url.password), url.database.c_str(), url.port,
                         text_or_null(url.socket), CLIENT_FOUND_ROWS) == nullptr) {
    throw Trouble(is_denied(mysql_errno(handle_.get())) ? kDenied : kUnavailable,
                  std::string("the stock: ") + mysql_error(handle_.get()));
  }
}

long MysqlStock::run(const std::string& statement) {
  if (mysql_real_query(handle_.get(), statement.data(), statement.size()) != 0) {
    throw DatabaseError(mysql_error(handle_.get()));
  }
  return static_cast<long>(mysql_affected_rows(handle_.get()));
}

Stock MysqlStock::ask(const std::string& query) {
  run(query);
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> rows(
      mysql_store_result(handle_.get()), mysql_free_result);
  MYSQL_ROW const row = rows ? mysql_fetch_row(rows.get()) : nullptr;
  if (row == nullptr) throw DatabaseError("there is no such row");
  return {.count = std::atoi(row[0]), .version = std::atoi(row[1])};
}

bool MysqlStock::is_ours() {
  return ask("SELECT COUNT(*), 0 FROM information_schema.tables WHERE table_schema = "
             "DATABASE() AND table_name = 'db_stock' AND table_comment <> "
             "'holdfast demo'")
             .count == 0;
}

void MysqlStock::fill(int count) {
  if (!is_ours()) {
    throw Trouble(kCannotCreate, "the database has a db_stock that is not the demo's");
  }
  run("CREATE TABLE IF NOT EXISTS db_stock ("
      "  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
      "  product_code VARCHAR(255) DEFAULT NULL,"
      "  stock_code VARCHAR(255) DEFAULT NULL,"
      "  count INT DEFAULT NULL,"
      "  version INT NOT NULL DEFAULT 0,"
      "  token BIGINT NOT NULL DEFAULT 0) ENGINE=InnoDB COMMENT='holdfast demo'");
  run("INSERT INTO db_stock (id, product_code, stock_code, count) VALUES "
      "(1, '1001', '001', " +
      std::to_string(count) +
      ") ON DUPLICATE KEY UPDATE count = VALUES(count), version = 0, token = 0");
}

void MysqlStock::clear_away() {
  if (is_ours()) run("DROP TABLE IF EXISTS db_stock");
}

Stock MysqlStock::read() { return ask(kRead); }

Stock MysqlStock::read_alone() { return ask(std::string(kRead) + " FOR UPDATE"); }

void MysqlStock::write(int count) {
  run("UPDATE db_stock SET count = " + std::to_string(count) + " WHERE id = 1");
}

bool MysqlStock::write_if(const Stock& expect) {
  const std::string version = std::to_string(expect.version);
  return run("UPDATE db_stock SET count = " + std::to_string(expect.count - 1) +
             ", version = " + version + " + 1 WHERE id = 1 AND version = " + version) ==
         1;
}

bool MysqlStock::take_one() {
  return run("UPDATE db_stock SET count = count - 1 WHERE id = 1 AND count > 0") == 1;
}

bool MysqlStock::write_fenced(int count, std::uint64_t token) {
  const std::string number = std::to_string(token);
  return run("UPDATE db_stock SET count = " + std::to_string(count) +
             ", token = " + number + " WHERE id = 1 AND token <= " + number) == 1;
}

void MysqlStock::begin() { run("START TRANSACTION"); }

void MysqlStock::commit() { run("COMMIT"); }

void MysqlStock::roll_back() noexcept { (void)mysql_rollback(handle_.get()); }

}  // namespace holdfast::demo

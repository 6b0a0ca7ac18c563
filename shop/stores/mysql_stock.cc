// SPDX-License-Identifier: Apache-2.0

#include "stores/mysql_stock.h"

#include <cstdlib>

#include "places.h"

namespace holdfast::shop {

MysqlStock::MysqlStock(const Places& places) : mysql_(places) {}

void MysqlStock::fill(int count) {
  mysql_.run(
      "CREATE TABLE IF NOT EXISTS db_stock ("
      "  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
      "  product_code VARCHAR(255) DEFAULT NULL,"
      "  stock_code VARCHAR(255) DEFAULT NULL,"
      "  count INT DEFAULT NULL,"
      "  version INT NOT NULL DEFAULT 0,"
      "  token BIGINT NOT NULL DEFAULT 0) ENGINE=InnoDB");
  mysql_.run(
      "INSERT INTO db_stock (id, product_code, stock_code, count) VALUES "
      "(1, '1001', '001', " +
      std::to_string(count) +
      ") ON DUPLICATE KEY UPDATE count = VALUES(count), version = 0, token = 0");
}

Stock MysqlStock::ask(const std::string& rest) {
  const auto row =
      mysql_.ask("SELECT count, version FROM db_stock WHERE id = 1" + rest);
  if (row.size() != 2) throw StoreError("MySQL has no stock");
  return {.count = std::atoi(row[0].c_str()), .version = std::atoi(row[1].c_str())};
}

Stock MysqlStock::read() { return ask(""); }

Stock MysqlStock::read_alone() { return ask(" FOR UPDATE"); }

Stock MysqlStock::read_shared() { return ask(" LOCK IN SHARE MODE"); }

void MysqlStock::write(int count) {
  mysql_.run("UPDATE db_stock SET count = " + std::to_string(count) + " WHERE id = 1");
}

bool MysqlStock::take_one() {
  return mysql_.run(
             "UPDATE db_stock SET count = count - 1 WHERE id = 1 AND count > 0") == 1;
}

bool MysqlStock::write_if(const Stock& expect) {
  const std::string version = std::to_string(expect.version);
  return mysql_.run("UPDATE db_stock SET count = " + std::to_string(expect.count - 1) +
                    ", version = " + version +
                    " + 1 WHERE id = 1 AND version = " + version) == 1;
}

bool MysqlStock::write_fenced(int count, std::uint64_t token) {
  const std::string number = std::to_string(token);
  return mysql_.run("UPDATE db_stock SET count = " + std::to_string(count) +
                    ", token = " + number + " WHERE id = 1 AND token <= " + number) ==
         1;
}

void MysqlStock::begin() { mysql_.run("START TRANSACTION"); }

void MysqlStock::commit() { mysql_.run("COMMIT"); }

void MysqlStock::roll_back() noexcept { mysql_.roll_back(); }

}  // namespace holdfast::shop

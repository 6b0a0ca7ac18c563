// SPDX-License-Identifier: Apache-2.0

// shop/stores/mysql_stock.h - the stock in the table db_stock, in MariaDB.

#pragma once

#include "stores/mysql.h"
#include "stores/stock.h"

namespace holdfast::shop {

class MysqlStock final : public StockConnection {
 public:
  explicit MysqlStock(const Places& places);

  void fill(int count) override;
  Stock read() override;
  void write(int count) override;
  bool take_one() override;
  bool write_if(const Stock& expect) override;
  bool write_fenced(int count, std::uint64_t token) override;
  void begin() override;
  Stock read_alone() override;
  Stock read_shared() override;
  void commit() override;
  void roll_back() noexcept override;

 private:
  Stock ask(const std::string& rest);

  Mysql mysql_;
};

}  // namespace holdfast::shop

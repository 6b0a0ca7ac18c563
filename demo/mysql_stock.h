// SPDX-License-Identifier: Apache-2.0

// demo/mysql_stock.h - the stock in a database of MariaDB or MySQL.

#pragma once

#include <mysql.h>

#include <memory>
#include <string>

#include "mysql_url.h"
#include "stock.h"

namespace holdfast::demo {

// Its table is dropped when the sale is over. A table of that name that another program
// has made is left alone, and the sale does not take url.
class MysqlStock final : public StockConnection {
 public:
  explicit MysqlStock(const MysqlUrl& url);

  void fill(int count) override;
  void clear_away() override;
  Stock read() override;
  void write(int count) override;
  bool write_if(const Stock& expect) override;
  bool take_one() override;
  bool write_fenced(int count, std::uint64_t token) override;
  void begin() override;
  Stock read_alone() override;  // with FOR UPDATE
  void commit() override;
  void roll_back() noexcept override;

 private:
  struct Close {
    void operator()(MYSQL* handle) const noexcept { mysql_close(handle); }
  };

  long run(const std::string& statement);  // returns the number of matching rows
  Stock ask(const std::string& query);
  bool is_ours();  // whether the table, if there is one, is the demo's

  std::unique_ptr<MYSQL, Close> handle_;
};

}  // namespace holdfast::demo

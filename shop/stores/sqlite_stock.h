// SPDX-License-Identifier: Apache-2.0

// shop/stores/sqlite_stock.h - the stock in a file of SQLite.

#pragma once

#include <sqlite3.h>

#include <memory>
#include <mutex>
#include <string>

#include "stores/stock.h"

namespace holdfast::shop {

// SQLite has one writer at a time, and the others poll. So that few do, the threads of
// one process queue at a mutex before they write; processes meet at the file.
class SqliteStock final : public StockConnection {
 public:
  explicit SqliteStock(const std::string& path);

  void fill(int count) override;
  Stock read() override;
  void write(int count) override;
  bool write_if(const Stock& expect) override;
  bool take_one() override;
  bool write_fenced(int count, std::uint64_t token) override;
  void begin() override;  // locks the file for writing at once
  Stock read_alone() override { return read(); }
  Stock read_shared() override { return read(); }
  void commit() override;
  void roll_back() noexcept override;

 private:
  template <auto kClose>
  struct Closer {
    template <class T>
    void operator()(T* p) const {
      kClose(p);
    }
  };
  using Connection = std::unique_ptr<sqlite3, Closer<sqlite3_close>>;
  using Statement = std::unique_ptr<sqlite3_stmt, Closer<sqlite3_finalize>>;

  struct Command {
    const char* sql;
    Statement statement = nullptr;  // prepared when first used
  };

  void execute(const std::string& sql);
  sqlite3_stmt* prepared(Command& command);
  int run(Command& command);    // returns the number of changed rows
  int write(Command& command);  // the same, in this thread's turn to write

  Connection connection_;
  std::unique_lock<std::mutex> turn_;  // is held from begin() to the end of it
  Command read_{"SELECT count, version FROM db_stock WHERE id = 1"};
  Command write_{"UPDATE db_stock SET count = ?1 WHERE id = 1"};
  Command write_if_{
      "UPDATE db_stock SET count = ?1, version = ?2 + 1 WHERE id = 1 AND version = ?2"};
  Command take_one_{"UPDATE db_stock SET count = count - 1 WHERE id = 1 AND count > 0"};
  Command write_fenced_{
      "UPDATE db_stock SET count = ?1, token = ?2 WHERE id = 1 AND token <= ?2"};
  Command begin_{"BEGIN IMMEDIATE"};
  Command commit_{"COMMIT"};
  Command roll_back_{"ROLLBACK"};
};

}  // namespace holdfast::shop

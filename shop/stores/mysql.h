// SPDX-License-Identifier: Apache-2.0

// shop/stores/mysql.h - a plain connection to MariaDB.

#pragma once

#include <mysql.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::shop {

struct Places;

// It is not safe for concurrent use. Throws StoreError.
class Mysql {
 public:
  explicit Mysql(const Places& places);

  long run(const std::string& statement);  // returns the number of matching rows
  // Returns false when the key is there, or when other inserts of it are in the way,
  // for which InnoDB has the word deadlock.
  bool insert(const std::string& statement);

  std::vector<std::string> ask(const std::string& query);  // the first row, or nothing
  void roll_back() noexcept { (void)mysql_rollback(handle_.get()); }

 private:
  struct CloseMysql {
    void operator()(MYSQL* handle) const noexcept { mysql_close(handle); }
  };

  std::unique_ptr<MYSQL, CloseMysql> handle_;
};

}  // namespace holdfast::shop

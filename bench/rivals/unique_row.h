// SPDX-License-Identifier: Apache-2.0

// bench/rivals/unique_row.h - a row with a unique name, asked for again after a sleep:
// what most programs do that lock by a database. A holder that dies keeps it for ever.

#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "mysql/connection.h"

namespace holdfast::bench {

// Each thread needs an object of its own. mysql/server.cc makes the table.
class UniqueRow {
 public:
  explicit UniqueRow(const std::string& name)
      : lock_(connection_, "INSERT INTO tb_lock (lock_name, create_time) VALUES ('" +
                               name + "', NOW())"),
        unlock_(connection_, "DELETE FROM tb_lock WHERE id = ?") {}
  void lock() {
    while (!lock_.try_run()) std::this_thread::sleep_for(kPause);
  }
  void unlock() {
    unlock_.set(lock_.inserted());
    while (!unlock_.try_run()) continue;
  }

 private:
  static constexpr std::chrono::milliseconds kPause{50};

  mysql::Connection connection_;
  mysql::Prepared lock_;
  mysql::Prepared unlock_;
};

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// bench/mysql/commit.h - one autocommitted UPDATE by key: what nothing that is kept in
// this server can be faster than.

#pragma once

#include "mysql/connection.h"

namespace holdfast::bench::mysql {

// Two of them are a pair, as lock and unlock are. mysql/server.cc makes the table.
class Commit {
 public:
  void lock() { update_.run(); }
  void unlock() { update_.run(); }

 private:
  Connection connection_;
  Prepared update_{connection_, "UPDATE commits SET number = number + 1 WHERE id = 1"};
};

}  // namespace holdfast::bench::mysql

// SPDX-License-Identifier: Apache-2.0

// bench/rivals/get_lock.h - plain GET_LOCK: no token, and gone with its connection.

#pragma once

#include <string>

#include "mysql/connection.h"

namespace holdfast::bench {

// Each thread needs an object of its own.
class GetLock {
 public:
  explicit GetLock(const std::string& name)
      : lock_(connection_, "DO GET_LOCK('" + name + "', 3600)"),
        unlock_(connection_, "DO RELEASE_LOCK('" + name + "')") {}
  void lock() { lock_.run(); }
  void unlock() { unlock_.run(); }

 private:
  mysql::Connection connection_;
  mysql::Prepared lock_;
  mysql::Prepared unlock_;
};

}  // namespace holdfast::bench

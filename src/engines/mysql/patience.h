// engines/mysql/patience.h - a deadline for every call into the client library, whose
// own are in seconds.
//
//   const Patience patience(until);
//   mysql_stmt_execute(statement);      // fails soon after `until`

#pragma once

#include <mysql.h>

#include "holdfast/engine/claim.h"

namespace holdfast::mysql {

// For this thread, while it lives.
class Patience {
 public:
  explicit Patience(engine::Deadline until) noexcept;
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  // Makes a handle heed it, before it connects.
  static void teach(MYSQL* handle) noexcept;

  // An encrypted connection waits in the kernel instead of asking us.
  static void tell_socket(int descriptor, engine::Deadline until) noexcept;

 private:
  const engine::Deadline outer_;
};

}  // namespace holdfast::mysql

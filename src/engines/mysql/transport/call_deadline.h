// engines/mysql/transport/call_deadline.h - a deadline for every call into the client
// library, whose own are in seconds.
//
//   const CallDeadline deadline(until);
//   mysql_stmt_execute(statement);      // fails soon after `until`

#pragma once

#include <mysql.h>

#include "holdfast/engine/claim.h"

namespace holdfast::mysql {

// For this thread, while it lives.
class CallDeadline {
 public:
  explicit CallDeadline(engine::Deadline until) noexcept;
  ~CallDeadline();
  CallDeadline(const CallDeadline&) = delete;
  CallDeadline& operator=(const CallDeadline&) = delete;

  // Makes a handle heed it, before it connects.
  static void install(MYSQL* handle) noexcept;

  // An encrypted connection waits in the kernel instead of asking us.
  static void set_socket_timeouts(int descriptor, engine::Deadline until) noexcept;

 private:
  const engine::Deadline outer_;
};

}  // namespace holdfast::mysql

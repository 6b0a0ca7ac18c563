// SPDX-License-Identifier: Apache-2.0

// engines/mysql/transport/call_deadline.h - a deadline for every call into the client
// library, whose own timeouts are in whole seconds.
//
//   const CallDeadline deadline(until);
//   mysql_stmt_execute(statement);      // fails soon after `until`

#pragma once

#include <mysql.h>

#include "holdfast/engine/claim.h"

namespace holdfast::mysql {

// While it lives, every call of this thread on a prepared handle ends at `until`.
class CallDeadline {
 public:
  explicit CallDeadline(engine::Deadline until) noexcept;
  ~CallDeadline();
  CallDeadline(const CallDeadline&) = delete;
  CallDeadline& operator=(const CallDeadline&) = delete;

  // Returns whether the deadline of this thread has passed.
  static bool is_over() noexcept;

  // Prepares a handle for it, before the handle connects.
  static void install(MYSQL* handle) noexcept;

  // An encrypted connection needs this as well, because it waits in the kernel.
  static void set_socket_timeouts(int descriptor, engine::Deadline until) noexcept;

 private:
  const engine::Deadline outer_;
};

}  // namespace holdfast::mysql

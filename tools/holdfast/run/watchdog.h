// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/watchdog.h - the process between the supervisor and the command.
//
//   supervisor (the client, the lock) ── watchdog ── command and what it starts
//
// The watchdog is forked before a thread or a client exists, and has one task: it
// starts the command when told, and ends it, to its last descendant, when the lock is
// lost, when the lease runs out without news (the supervisor is stopped), or when the
// supervisor is gone. It keeps the session's liveness descriptor open meanwhile, so
// that on `local` the lock cannot be granted to another client before that.

#pragma once

#include <sys/types.h>

#include "run/channel.h"
#include "run/run_options.h"
#include "run/signals.h"

namespace holdfast::cli {

// This is the supervisor's handle. Its destructor dismisses the watchdog, and waits
// until it has ended.
class Watchdog {
 public:
  // Throws std::system_error. REQUIRES: no other thread exists.
  Watchdog(const RunOptions& options, const Inherited& signals);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  Channel& channel() noexcept { return channel_; }

  // Ends the watchdog, even if it is stopped. The kernel then ends the command.
  void kill() noexcept;

 private:
  Channel channel_{-1};
  pid_t pid_ = -1;
};

}  // namespace holdfast::cli

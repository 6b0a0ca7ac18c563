// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/supervisor.h - keeps the lock while the command runs.
//
// The lock is released when the command has ended and, after a loss, only when all
// processes that it started have ended too.

#pragma once

#include <chrono>
#include <csignal>
#include <optional>

#include "run/descriptor.h"
#include "run/run_hold.h"
#include "run/run_options.h"
#include "run/stopping.h"
#include "run/watchdog.h"

namespace holdfast::cli {

class Supervisor {
 public:
  // `signals` is a signalfd of the signals that are passed on to the command. `spared`
  // are children that this process had before, which it must not end.
  Supervisor(const RunOptions& options, Watchdog& watchdog, RunHold& held, int signals,
             std::vector<pid_t> spared);

  // Starts the command and returns the exit code when everything has ended. It never
  // throws, because unwinding would release the lock before the command has ended.
  int run(std::string_view engine, int liveness_fd) noexcept;

 private:
  struct End {
    int code;
    bool started = true;
  };

  End watch();
  int poll_timeout() const;
  std::optional<End> read_report();
  void pass_on();
  void tell_news(bool lost);
  void tell_end();
  void tell_lost();
  bool watchdog_is_stuck(Clock::time_point now);
  End end_all();
  std::string named() const;
  void say_lost();
  int status(const End& end, bool lost) const;
  void keep_at_least(std::chrono::steady_clock::time_point since);
  int give_back(End end);

  const RunOptions& options_;
  Watchdog& watchdog_;
  RunHold& held_;
  int signals_;
  std::vector<pid_t> spared_;
  Descriptor lost_event_;
  bool lost_ = false;
  bool told_ = false;      // The watchdog was told of the loss.
  bool answered_ = false;  // The watchdog has answered that it ends the command.

  // These mirror what the watchdog does, unless it is stopped itself, and by when it
  // must have answered.
  std::optional<Stopping> stopping_;
  Clock::time_point answer_due_ = Clock::time_point::max();
};

}  // namespace holdfast::cli

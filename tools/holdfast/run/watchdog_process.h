// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/watchdog_process.h - what the watchdog does in its own process.

#pragma once

#include <sys/types.h>

#include <optional>

#include "run/channel.h"
#include "run/descriptor.h"
#include "run/run_options.h"
#include "run/signals.h"
#include "run/stopping.h"

namespace holdfast::cli {

class WatchdogProcess {
 public:
  WatchdogProcess(const RunOptions& options, const Inherited& signals,
                  pid_t supervisor_group, Channel channel);

  // Never throws: on an error the process ends, and so does the command.
  [[noreturn]] void run() noexcept;

 private:
  void start(const Order& order);
  void obey(const Order& order);
  void look_after();
  void act(Stopping::Step step);
  void signal_command(int number);
  void set_timer();
  [[noreturn]] void finish(const Report& report);

  const RunOptions& options_;
  Inherited signals_;
  Channel channel_;
  Descriptor child_ended_;  // a signalfd
  Descriptor timer_;        // on CLOCK_BOOTTIME, as leases are counted
  int why_blind_ = 0;       // the errno, if one of these two could not be made
  Descriptor liveness_fd_;
  Descriptor lost_pipe_;  // The command reads its end of file.
  std::optional<Stopping> stopping_;
  pid_t group_;  // the group to put the command into; zero means one of its own
  pid_t command_ = -1;
  std::optional<int> status_;
};

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

#include "run/watchdog.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "run/watchdog_process.h"

namespace holdfast::cli {

Watchdog::Watchdog(const RunOptions& options, const Inherited& signals) {
  const auto ends = Channel::make_pair();
  Channel ours(ends[0]);
  Channel theirs(ends[1]);
  const pid_t supervisor_group = getpgrp();
  pid_ = fork();
  if (pid_ < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot start a process");
  }
  if (pid_ == 0) {
    ours.close();
    WatchdogProcess(options, signals, supervisor_group, std::move(theirs)).run();
  }
  channel_ = std::move(ours);
}

void Watchdog::kill() noexcept { ::kill(pid_, SIGKILL); }

Watchdog::~Watchdog() {
  channel_.close();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace holdfast::cli

// tools/holdfast/run/run_options.h - the command line of `holdfast run`.

#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "duration.h"
#include "holdfast/lease.h"
#include "options.h"

namespace holdfast::cli {

enum class OnLost { term, kill, warn };

struct RunOptions {
  CommonOptions common;
  std::string name;
  std::vector<std::string> command;

  Timeout wait = Timeout::forever();
  int conflict_exit_code;
  LeaseOptions lease;
  Duration at_least{};

  Duration kill_after = std::chrono::seconds(5);
  int signal = SIGTERM;
  OnLost on_lost = OnLost::term;

  bool close = false;
  bool foreground = false;
  bool preserve_status = false;
  bool show_command = false;
  bool verbose = false;
};

// Fills `options`, or gives the exit code with which all is said.
std::optional<int> parse_run(std::vector<std::string> args, RunOptions& options);

}  // namespace holdfast::cli

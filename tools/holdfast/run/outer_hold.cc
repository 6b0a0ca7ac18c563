// SPDX-License-Identifier: Apache-2.0

#include "run/outer_hold.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "exit_codes.h"
#include "holdfast/admin.h"
#include "run/cannot_run.h"
#include "run/tree.h"
#include "say.h"

namespace holdfast::cli {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

int number_in(const char* name) {
  const std::string_view text = variable(name);
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view mode_of(const RunOptions& options) {
  return options.mode == engine::Mode::shared ? "shared" : "exclusive";
}

bool is_ancestor(pid_t wanted) {
  if (wanted <= 1) return false;
  pid_t each = getppid();
  while (each > 1 && each != wanted) each = parent_of(each).value_or(0);
  return each == wanted;
}

bool is_lost() {
  const int fd = number_in("HOLDFAST_LOST_FD");
  if (fd < 0) return false;
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, 0) == 1 && (ready.revents & POLLHUP) != 0;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> outer_hold_variables(
    const RunOptions& options, pid_t watchdog) {
  return {{"HOLDFAST_LOCK_HELD", "1"},
          {"HOLDFAST_LOCK_NAME", options.name},
          {"HOLDFAST_LOCK_KIND", std::string(kind_name(options.kind))},
          {"HOLDFAST_LOCK_MODE", std::string(mode_of(options))},
          {"HOLDFAST_LOCK_SERVER", options.common.server()},
          {"HOLDFAST_LOCK_WATCHDOG", std::to_string(watchdog)}};
}

bool is_held_by_ancestor(const RunOptions& options) {
  if (variable("HOLDFAST_LOCK_NAME") != options.name) return false;
  if (variable("HOLDFAST_LOCK_KIND") != kind_name(options.kind)) return false;
  if (variable("HOLDFAST_LOCK_SERVER") != options.common.server()) return false;
  if (options.kind == engine::Kind::semaphore) return false;
  const bool readers = variable("HOLDFAST_LOCK_MODE") == "shared" &&
                       options.mode == engine::Mode::shared;
  return !readers && is_ancestor(number_in("HOLDFAST_LOCK_WATCHDOG"));
}

int join_outer_hold(const RunOptions& options) {
  if (is_lost()) {
    return fail({.error = "lost",
                 .message = std::string(options.held) + " \"" +
                            printable(options.name) +
                            "\" was lost by the run around this one; the command was "
                            "not started",
                 .exit_code = kLost});
  }
  std::vector<char*> argv;
  for (const std::string& each : options.command) {
    argv.push_back(const_cast<char*>(each.c_str()));
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return report_cannot_run(options, errno);
}

}  // namespace holdfast::cli

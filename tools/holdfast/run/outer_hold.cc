// SPDX-License-Identifier: Apache-2.0

#include "run/outer_hold.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "exit_codes.h"
#include "holdfast/admin.h"
#include "holdfast/holder.h"
#include "run/cannot_run.h"
#include "run/tree.h"
#include "say.h"

namespace holdfast::cli {
namespace {

// What a run tells its command about its hold, and where these values are in
// `OuterHold`.
constexpr std::array kVariables = {"HOLDFAST_LOCK_HELD",   "HOLDFAST_LOCK_NAME",
                                   "HOLDFAST_LOCK_KIND",   "HOLDFAST_LOCK_MODE",
                                   "HOLDFAST_LOCK_SERVER", "HOLDFAST_LOCK_WATCHDOG",
                                   "HOLDFAST_TOKEN",       "HOLDFAST_TTL_MS",
                                   "HOLDFAST_ENGINE",      "HOLDFAST_LOST_FD"};
enum : std::size_t { kHeld, kName, kKind, kMode, kServer, kWatchdog, kLostFd = 9 };
using OuterHold = std::array<std::string, kVariables.size()>;

// The runs around the innermost one: a line for each, with a tab between the values.
constexpr const char* kOuterHolds = "HOLDFAST_OUTER_HOLDS";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

int number_in(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// A path may contain what separates the values.
std::string server_of(const RunOptions& options) {
  return printable(options.common.server());
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

OuterHold innermost_hold() {
  OuterHold hold;
  std::transform(kVariables.begin(), kVariables.end(), hold.begin(), variable);
  return hold;
}

std::vector<OuterHold> holds_further_out() {
  std::vector<OuterHold> holds;
  std::istringstream lines(variable(kOuterHolds));
  for (std::string line; std::getline(lines, line);) {
    OuterHold& hold = holds.emplace_back();
    std::istringstream values(line);
    for (std::string& each : hold) std::getline(values, each, '\t');
  }
  return holds;
}

bool is_pipe(int fd) {
  struct stat is {};
  return fstat(fd, &is) == 0 && S_ISFIFO(is.st_mode);
}

// A program between two runs may have closed the descriptor of the outer one, and the
// inner one then gets its number.
void forget_closed_descriptors(std::vector<OuterHold>& holds) {
  for (auto outer = holds.begin(); outer != holds.end(); ++outer) {
    const bool reused = std::any_of(holds.begin(), outer, [&](const OuterHold& inner) {
      return inner[kLostFd] == (*outer)[kLostFd];
    });
    if (reused || !is_pipe(number_in((*outer)[kLostFd]))) (*outer)[kLostFd].clear();
  }
}

// Returns all of them, the innermost first.
std::vector<OuterHold> outer_holds() {
  std::vector<OuterHold> holds = holds_further_out();
  holds.insert(holds.begin(), innermost_hold());
  forget_closed_descriptors(holds);
  std::erase_if(holds, [](const OuterHold& hold) {
    return !is_ancestor(number_in(hold[kWatchdog]));
  });
  return holds;
}

std::string to_lines(const std::vector<OuterHold>& holds) {
  std::string lines;
  for (const OuterHold& hold : holds) {
    for (const std::string& each : hold) lines += each + '\t';
    lines.back() = '\n';
  }
  return lines;
}

// Returns the innermost one that keeps these options out, or the end.
auto find_held(const std::vector<OuterHold>& holds, const RunOptions& options) {
  return std::find_if(holds.begin(), holds.end(), [&](const OuterHold& hold) {
    const bool readers =
        hold[kMode] == "shared" && options.mode == engine::Mode::shared;
    return !readers && options.kind != engine::Kind::semaphore &&
           hold[kName] == options.name && hold[kKind] == kind_name(options.kind) &&
           hold[kServer] == server_of(options);
  });
}

bool is_lost(const OuterHold& hold) {
  const int fd = number_in(hold[kLostFd]);
  if (fd < 0) return false;
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, 0) == 1 && (ready.revents & POLLHUP) != 0;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> outer_hold_variables(
    const RunOptions& options, pid_t watchdog) {
  return {{kVariables[kHeld], "1"},
          {kVariables[kName], options.name},
          {kVariables[kKind], std::string(kind_name(options.kind))},
          {kVariables[kMode], std::string(mode_of(options))},
          {kVariables[kServer], server_of(options)},
          {kVariables[kWatchdog], std::to_string(watchdog)},
          {kOuterHolds, to_lines(outer_holds())}};
}

bool is_held_by_ancestor(const RunOptions& options) {
  const auto holds = outer_holds();
  return find_held(holds, options) != holds.end();
}

bool may_join_outer_hold(const RunOptions& options) {
  const auto holds = outer_holds();
  const auto outer = find_held(holds, options);
  return options.kind != engine::Kind::election && outer != holds.end() &&
         (*outer)[kMode] != "shared";
}

// The command finds the hold that it joins as the innermost one. The outer run may have
// ended since may_join_outer_hold.
int join_outer_hold(const RunOptions& options) {
  auto holds = outer_holds();
  const auto joined = find_held(holds, options);
  if (joined == holds.end() || is_lost(*joined)) {
    return fail({.error = "lost",
                 .message = std::string(options.held) + " \"" +
                            printable(options.name) +
                            "\" was lost by the run around this one; the command was "
                            "not started",
                 .exit_code = kLost});
  }
  for (std::size_t i = 0; i < kVariables.size(); ++i) {
    if ((*joined)[i].empty()) {
      unsetenv(kVariables[i]);
    } else {
      setenv(kVariables[i], (*joined)[i].c_str(), 1);
    }
  }
  holds.erase(joined);
  setenv(kOuterHolds, to_lines(holds).c_str(), 1);

  std::vector<char*> argv;
  for (const std::string& each : options.command) {
    argv.push_back(const_cast<char*>(each.c_str()));
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return report_cannot_run(options, errno);
}

}  // namespace holdfast::cli

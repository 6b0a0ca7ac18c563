// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/action.h - verbs that name a thing, and then say what to do with it.
//
//   holdfast latch deploy/42 down 2
//
// Numbers follow the action, and after them a command, if the action runs one.

#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/timeout.h"
#include "options.h"

namespace holdfast::cli {

struct Request {
  CommonOptions common;
  std::string name;
  std::vector<std::int64_t> numbers;
  std::vector<std::string> command;
  Timeout wait = Timeout::forever();

  std::int64_t number_or(std::int64_t otherwise) const {
    return numbers.empty() ? otherwise : numbers.front();
  }
};

struct Action {
  std::string_view name;
  int (*perform)(const Request& request);  // returns the exit code
  std::size_t least = 0;                   // how many numbers it needs
  std::size_t most = 0;                    // how many numbers it takes
  // This is the range of each number.
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t to = std::numeric_limits<std::int64_t>::max();
  bool waits = false;         // -n and -w are allowed
  bool runs_command = false;  // needs a command
};

struct ActionVerb {
  std::string name;
  std::string synopsis;
  std::string purpose;
  std::string footer;
  std::span<const Action> actions;
};

// Parses the command line, performs the action and returns the exit code.
int perform(const ActionVerb& what, std::vector<std::string> args);

}  // namespace holdfast::cli

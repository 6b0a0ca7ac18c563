// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/child.h - starts the command.

#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "run/signals.h"

namespace holdfast::cli {

struct Launch {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;  // over the inherited
  pid_t group = 0;                                               // zero: a new one
  int lost_fd = -1;  // inherited under the number in HOLDFAST_LOST_FD
  int witness = -1;  // inherited; -1: not
  Inherited signals{};
};

struct Started {
  pid_t pid = -1;
  int error = 0;  // errno of what failed; zero: it runs
};

// Returns when the command has been executed, or could not be. It is killed when the
// calling thread ends.
// REQUIRES: no other thread exists.
Started start_child(const Launch& launch);

}  // namespace holdfast::cli

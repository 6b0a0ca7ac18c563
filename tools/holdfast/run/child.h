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
  // These are added to the inherited variables.
  std::vector<std::pair<std::string, std::string>> environment;
  pid_t group = 0;       // zero means a new one
  int lost_fd = -1;      // inherited under the number in HOLDFAST_LOST_FD
  int liveness_fd = -1;  // inherited, unless it is -1
  Inherited signals{};
};

struct Started {
  pid_t pid = -1;
  int error = 0;  // the errno of what failed; zero means that it runs
};

// Returns when the command has been executed, or could not be. The command is killed
// when the calling thread ends. REQUIRES: no other thread exists.
Started start_child(const Launch& launch);

}  // namespace holdfast::cli

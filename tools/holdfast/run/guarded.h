// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/guarded.h - runs a command while holding something.

#pragma once

#include "run/run_options.h"

namespace holdfast::cli {

// Waits for what the options name, runs the command, releases, and returns the exit
// code. REQUIRES: no other thread exists.
int run_guarded(const RunOptions& options);

}  // namespace holdfast::cli

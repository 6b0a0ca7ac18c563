// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/barrier_run.h - runs a command as one party of a double barrier.

#pragma once

#include <cstdint>

#include "run/run_options.h"

namespace holdfast::cli {

// Enters, runs the command and leaves; each of the two waits lasts at most as long as
// the options say. If a signal has ended the command, it does not wait for the others.
// Returns the exit code of the command or, if that was zero, of leaving. REQUIRES: no
// other thread exists.
int run_as_party(RunOptions& options, std::uint32_t parties);

}  // namespace holdfast::cli

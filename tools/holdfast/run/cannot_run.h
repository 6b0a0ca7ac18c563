// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/cannot_run.h - says why the command was not started.

#pragma once

#include "run/run_options.h"

namespace holdfast::cli {

// Takes the errno of exec and returns 127 if there is no such command, otherwise 126.
// If only a shell knows the command (it has a blank in it, or is built into shells),
// the hint is the command line with -c.
int report_cannot_run(const RunOptions& options, int why);

}  // namespace holdfast::cli

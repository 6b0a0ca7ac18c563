// tools/holdfast/run/shell_hint.h - for a command that only a shell knows.

#pragma once

#include <string>

#include "run/run_options.h"

namespace holdfast::cli {

// The command line with -c, if the command that was not found looks like one for a
// shell: it has a blank in it, or is built into shells. Otherwise nothing.
std::string shell_hint(const RunOptions& options);

}  // namespace holdfast::cli

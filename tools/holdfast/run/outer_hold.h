// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/outer_hold.h - the holds under which this very process runs.
//
// `holdfast run job -- script`, whose script runs `holdfast run job` again, would wait
// for itself, and so it would with another run between the two. The environment says
// what the outer runs hold, and the process tree says whether they still do: the
// watchdog of a run is an ancestor for as long as it runs its command.

#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "run/run_options.h"

namespace holdfast::cli {

// Returns the variables that the command gets beside the token. They contain no
// password.
std::vector<std::pair<std::string, std::string>> outer_hold_variables(
    const RunOptions& options, pid_t watchdog);

// Returns whether an ancestor holds what these options ask for, so that waiting is in
// vain. It returns false for readers, which do not exclude readers, and for permits, of
// which some may be left.
bool is_held_by_ancestor(const RunOptions& options);

// Returns whether the command may run under that hold. It returns false for an
// election, and for a writer inside a reader, which other readers do not exclude.
bool may_join_outer_hold(const RunOptions& options);

// Replaces this process by the command, under the outer hold. Returns the exit code if
// that hold is lost or its run has ended, or if the command cannot be run. The command
// has no HOLDFAST_LOST_FD if a program between the two runs has closed it.
// REQUIRES: may_join_outer_hold returned true.
int join_outer_hold(const RunOptions& options);

}  // namespace holdfast::cli

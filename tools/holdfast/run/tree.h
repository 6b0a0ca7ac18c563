// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/tree.h - all that a command has started, to the last descendant.
//
// REQUIRES: the caller is a child subreaper (`become_reaper`), so that the children of
// a dead process become its own. If it then has no children, no descendant is left.

#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

namespace holdfast::cli {

void become_reaper();

// Returns nothing if the process is gone or a zombie, or if processes cannot be seen.
std::optional<pid_t> parent_of(pid_t pid);

// Returns the children of this process. REQUIRES: no other thread exists.
std::vector<pid_t> children();

// Sends `number` to every living descendant of this process, except to the children in
// `spared` and their descendants. It never hits a process that took over a dead one's
// number. Returns false if processes cannot be seen, because /proc is not mounted.
bool signal_tree(int number, const std::vector<pid_t>& spared = {});

// It is called for every child that has ended, with its wait(2) status.
using Reaped = std::function<void(pid_t, int)>;

// Collects the children that have ended. Returns false if no children are left.
bool reap(const Reaped& reaped);

// Ends all descendants except those in `spared`, and returns when none is left.
void kill_tree(const Reaped& reaped, const std::vector<pid_t>& spared = {});

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/tree.h - all that a command has started, to the last descendant.
//
// REQUIRES of the caller: it is a child subreaper (`become_reaper`), so that what a
// dead parent leaves behind becomes its own child. No children left then means: nothing
// is left.

#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

namespace holdfast::cli {

void become_reaper();

// Nothing: it is gone or a zombie, or processes cannot be seen.
std::optional<pid_t> parent_of(pid_t pid);

// The children of this process. REQUIRES: no other thread exists.
std::vector<pid_t> children();

// Sends `number` to every living descendant of this process, except to the children in
// `spared` and what descends from them. Never hits a process that took over a dead
// one's number. False: processes cannot be seen, since /proc is not mounted.
bool signal_tree(int number, const std::vector<pid_t>& spared = {});

// Told of every child that has ended, with its wait(2) status.
using Reaped = std::function<void(pid_t, int)>;

// Collects the children that have ended. False: there are no children any more.
bool reap(const Reaped& reaped);

// Ends all descendants, except those, and returns when none is left.
void kill_tree(const Reaped& reaped, const std::vector<pid_t>& spared = {});

}  // namespace holdfast::cli

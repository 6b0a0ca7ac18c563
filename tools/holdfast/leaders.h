// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/leaders.h - the leader of an election, as observers see it.

#pragma once

#include <string>

#include "options.h"

namespace holdfast::cli {

// Both print a line for each leader: its payload as it is, or JSON. They return the
// exit code.
int show_leader(const CommonOptions& common, const std::string& name);

// Runs until a signal comes. REQUIRES: no other thread exists.
int observe_leaders(const CommonOptions& common, const std::string& name);

}  // namespace holdfast::cli

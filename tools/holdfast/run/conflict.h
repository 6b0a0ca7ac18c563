// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/conflict.h - says why the lock was not had, to a person or a
// program.

#pragma once

#include <string_view>

#include "holdfast/client.h"
#include "run/run_options.h"

namespace holdfast::cli {

// Says who has the lock, and returns the exit code for that.
int report_conflict(const Client& client, const RunOptions& options);

// Refuses to wait, because a run around this one has the lock and the wait would have
// no end. Returns 64.
int refuse_to_wait_for_itself(std::string_view verb, const RunOptions& options);

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/run/acquiring.h - takes what the options name, whatever kind it is.

#pragma once

#include <memory>

#include "holdfast/client.h"
#include "holdfast/lease.h"
#include "holdfast/result.h"
#include "run/run_hold.h"
#include "run/run_options.h"

namespace holdfast::cli {

// Errc::bad_argument means that the semaphore has another number of permits than the
// options say.
Result<std::unique_ptr<RunHold>> acquire(const Client& client,
                                         const RunOptions& options,
                                         const WaitOptions& how);

}  // namespace holdfast::cli

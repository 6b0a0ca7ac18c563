// SPDX-License-Identifier: Apache-2.0

// base/log.h - writes log lines when the client has no sink of its own.

#pragma once

#include <string_view>

#include "holdfast/log.h"

namespace holdfast::base {

// Complains once per process on stderr if HOLDFAST_LOG is not one of its words.
void check_log_environment();

// Writes each line to stderr in one write, if HOLDFAST_LOG admits its level; an unknown
// word there counts as `warning`.
void log_to_stderr(LogLevel level, std::string_view line);

}  // namespace holdfast::base

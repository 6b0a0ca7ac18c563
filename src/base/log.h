// base/log.h - where log lines go when the client has no sink of its own.

#pragma once

#include <string_view>

#include "holdfast/log.h"

namespace holdfast::base {

// Says once in a process on stderr if HOLDFAST_LOG is not one of its words.
void check_log_environment();

// To stderr, each line in one write, if HOLDFAST_LOG lets its level through; a wrong
// word there counts as `warning`.
void log_to_stderr(LogLevel level, std::string_view line);

}  // namespace holdfast::base

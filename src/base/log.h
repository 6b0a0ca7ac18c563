// base/log.h - where log lines go when the client has no sink of its own.

#pragma once

#include <string_view>

#include "holdfast/log.h"

namespace holdfast::base {

// Warnings and errors to stderr, each line in one write; the rest is dropped.
void log_to_stderr(LogLevel level, std::string_view line);

}  // namespace holdfast::base

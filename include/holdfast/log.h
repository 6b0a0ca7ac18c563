// SPDX-License-Identifier: Apache-2.0

// holdfast/log.h - where Holdfast reports what an operator should know.
//
//   holdfast::ClientOptions options;
//   options.log = [](holdfast::LogLevel, std::string_view line) {
//     std::clog << line << '\n';
//   };
//
// Without a sink the lines go to stderr. The environment variable HOLDFAST_LOG says
// from which level on: `error`, `warning` (the default) or `info`; with `off`, no line
// is written. No line ever contains a password.

#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast::inline v0 {

enum class LogLevel { debug, info, warning, error };

// A sink is called from any thread, also concurrently. It must not throw and must not
// call back into the client.
using LogSink = std::function<void(LogLevel, std::string_view line)>;

// The lowest level that HOLDFAST_LOG asks for, for a sink that wants to obey it too.
// The level is `warning` if the variable is not set, and nullopt if it is `off`.
// Errc::bad_config: the variable has another value; the message names those that are
// known.
HOLDFAST_EXPORT Result<std::optional<LogLevel>> log_level_from_environment();

}  // namespace holdfast::inline v0

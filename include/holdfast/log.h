// holdfast/log.h - where Holdfast says what an operator should know.
//
//   ClientOptions options;
//   options.log = [](LogLevel level, std::string_view line) { syslog(..., line); };
//
// Without a sink the lines go to stderr: warnings and errors, or what HOLDFAST_LOG in
// the environment says: `error`, `warning`, `info` or `off`. No line ever holds a
// password.

#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "holdfast/export.h"
#include "holdfast/result.h"

namespace holdfast {

enum class LogLevel { debug, info, warning, error };

// Called from any thread, also concurrently; must not throw and must not call back into
// the client.
using LogSink = std::function<void(LogLevel, std::string_view line)>;

// The least level that HOLDFAST_LOG asks for, for a sink that wants to obey it, too:
// `warning` where it is not set, none where it is `off`. Errc::bad_config: it is
// another word, and the sentence names those that are known.
HOLDFAST_EXPORT Result<std::optional<LogLevel>> log_level_from_environment();

}  // namespace holdfast

// holdfast/log.h - where Holdfast says what an operator should know.
//
//   ClientOptions options;
//   options.log = [](LogLevel level, std::string_view line) { syslog(..., line); };
//
// Without a sink, warnings and errors go to stderr, one line each, and the rest is
// dropped. No line ever holds a password.

#pragma once

#include <functional>
#include <string_view>

#include "holdfast/export.h"

namespace holdfast {

enum class LogLevel { debug, info, warning, error };

// Called from any thread, also concurrently; must not throw and must not call back into
// the client.
using LogSink = std::function<void(LogLevel, std::string_view line)>;

}  // namespace holdfast

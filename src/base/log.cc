// SPDX-License-Identifier: Apache-2.0

#include "base/log.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <string>

namespace holdfast::inline v0 {

Result<std::optional<LogLevel>> log_level_from_environment() {
  const char* set = ::secure_getenv("HOLDFAST_LOG");
  const std::string_view word = set == nullptr ? "" : set;
  if (word.empty() || word == "warning") return std::optional(LogLevel::warning);
  if (word == "error") return std::optional(LogLevel::error);
  if (word == "info") return std::optional(LogLevel::info);
  if (word == "off") return std::optional<LogLevel>();
  return Failure(Errc::bad_config,
                 "HOLDFAST_LOG is not one of error, warning, info and off");
}

}  // namespace holdfast::inline v0

namespace holdfast::base {
namespace {

void write_line(std::string_view line) {
  const std::string text = "holdfast: " + std::string(line) + "\n";
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

void check_log_environment() {
  static std::once_flag said;
  const auto least = log_level_from_environment();
  if (!least) std::call_once(said, [&] { write_line(least.error().message()); });
}

void log_to_stderr(LogLevel level, std::string_view line) {
  const auto read = log_level_from_environment();
  const std::optional<LogLevel> least = read ? *read : LogLevel::warning;
  if (!least || level < *least) return;
  write_line(level == LogLevel::error ? "error: " + std::string(line)
                                      : std::string(line));
}

}  // namespace holdfast::base

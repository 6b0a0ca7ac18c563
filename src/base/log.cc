#include "base/log.h"

#include <unistd.h>

#include <string>

namespace holdfast::base {

void log_to_stderr(LogLevel level, std::string_view line) {
  if (level < LogLevel::warning) return;
  std::string text = level == LogLevel::error ? "holdfast: error: " : "holdfast: ";
  text.append(line).append("\n");
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace holdfast::base

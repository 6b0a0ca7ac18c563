// SPDX-License-Identifier: Apache-2.0

#include "engine_log.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>

#include "say.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

// Returns an empty path if there is no place to remember anything.
fs::path folder() {
  const char* cache = ::secure_getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "holdfast/warnings";
  const char* home = ::secure_getenv("HOME");
  if (home == nullptr || *home != '/') return {};
  return fs::path(home) / ".cache/holdfast/warnings";
}

// This is FNV-1a: the name of a file must be the same in every build.
std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return std::to_string(hash);
}

}  // namespace

bool first_today(const std::string& server, const std::string& warning) {
  const fs::path where = folder();
  if (where.empty()) return true;
  const fs::path file = where / fingerprint(server + "\n" + warning);
  std::error_code failed;
  const auto said = fs::last_write_time(file, failed);
  const auto age = fs::file_time_type::clock::now() - said;
  if (!failed && age < std::chrono::hours(24)) return false;
  fs::create_directories(where, failed);
  std::ofstream(file) << warning << '\n';
  return true;
}

struct EngineLog::Buffer {
  std::mutex mutex;
  bool opened = false;
  std::vector<std::pair<LogLevel, std::string>> lines;
};

EngineLog::EngineLog(std::string server)
    : server_(std::move(server)), buffer_(std::make_shared<Buffer>()) {}

LogSink EngineLog::sink() const {
  return [buffer = buffer_](LogLevel level, std::string_view line) {
    {
      const std::lock_guard lock(buffer->mutex);
      if (!buffer->opened) {
        buffer->lines.emplace_back(level, line);
        return;
      }
    }
    log(level, line);
  };
}

void EngineLog::opened(const std::vector<std::string>& warnings) {
  std::vector<std::pair<LogLevel, std::string>> lines;
  {
    const std::lock_guard lock(buffer_->mutex);
    buffer_->opened = true;
    lines.swap(buffer_->lines);
  }
  for (const auto& [level, line] : lines) {
    const bool of_engine =
        std::any_of(warnings.begin(), warnings.end(),
                    [&line = line](const auto& each) { return line.ends_with(each); });
    if (of_engine && !(is_said(level) && first_today(server_, line))) continue;
    log(level, line);
  }
}

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

#include "report/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <thread>

namespace holdfast::shop {
namespace {

// Returns what stands behind `separator` in the first line that begins with `key`.
std::string value_in(const char* file, const std::string& key, char separator) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(separator);
    if (!line.starts_with(key) || at == line.npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", at + 1);
    if (first == line.npos) return "";
    return line.substr(first, line.find_last_not_of(" \t\"") + 1 - first);
  }
  return "";
}

std::string system_here() {
  utsname names{};
  uname(&names);
  const std::string kernel = std::string(names.sysname) + " " + names.release;
  const std::string distribution = value_in("/etc/os-release", "PRETTY_NAME", '=');
  return distribution.empty() ? kernel : distribution + ", " + kernel;
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text;
  return {text.data(),
          std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts)};
}

}  // namespace

Machine this_machine() {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  return {.processor = value_in("/proc/cpuinfo", "model name", ':'),
          .cores = std::thread::hardware_concurrency(),
          .memory_gib = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(sysconf(_SC_PAGESIZE)) / kGib,
          .system = system_here(),
          .date = date_now()};
}

}  // namespace holdfast::shop

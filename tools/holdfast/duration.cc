// SPDX-License-Identifier: Apache-2.0

#include "duration.h"

#include <array>
#include <charconv>
#include <cmath>

namespace holdfast::cli {
namespace {

struct Unit {
  std::string_view suffix;
  double nanoseconds;
};

constexpr std::array kUnits{
    Unit{"ms", 1e6},      Unit{"s", 1e9},         Unit{"m", 60e9},
    Unit{"h", 60 * 60e9}, Unit{"d", 86400 * 1e9}, Unit{"", 1e9},
};

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc() || !std::isfinite(number) || std::signbit(number)) {
    return std::nullopt;
  }
  const std::string_view suffix(read.ptr, static_cast<std::size_t>(end - read.ptr));
  for (const Unit& unit : kUnits) {
    if (unit.suffix != suffix) continue;
    const double span = number * unit.nanoseconds;
    if (span >= static_cast<double>(Duration::max().count())) return Duration::max();
    return Duration(static_cast<Duration::rep>(span));
  }
  return std::nullopt;
}

std::string format_duration(Duration span) {
  using std::chrono::duration_cast;
  const auto seconds = duration_cast<std::chrono::seconds>(span).count();
  if (seconds < 1) {
    return std::to_string(duration_cast<std::chrono::milliseconds>(span).count()) +
           "ms";
  }
  if (seconds < 120) return std::to_string(seconds) + "s";
  if (seconds < 7200) return std::to_string(seconds / 60) + "m";
  if (seconds < 172800) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86400) + "d";
}

}  // namespace holdfast::cli

// SPDX-License-Identifier: Apache-2.0

// demo/report_text.h - colours and numbers of the report.

#pragma once

#include <cstdio>
#include <string>

namespace holdfast::demo {

inline constexpr const char* kBold = "\033[1m";
inline constexpr const char* kRed = "\033[31m";
inline constexpr const char* kGreen = "\033[32m";
inline constexpr const char* kPlain = "\033[0m";

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[200];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

// Returns three significant digits, in five columns.
inline std::string milliseconds(double ms) {
  const char* pattern = ms < 10 ? "%.2f" : ms < 100 ? "%.1f" : "%.0f";
  return format(pattern, ms);
}

}  // namespace holdfast::demo

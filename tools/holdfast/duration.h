// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/duration.h - durations as people write them.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

using Duration = std::chrono::nanoseconds;

// Reads `500ms`, `3s`, `2m`, `1h` or `1d`; a plain number is in seconds, and fractions
// are allowed. Returns nothing if the text is not a duration.
std::optional<Duration> parse_duration(std::string_view text);

// Returns a duration for people: "850ms", "27s", "12m", "3h", "2d".
std::string format_duration(Duration span);

}  // namespace holdfast::cli

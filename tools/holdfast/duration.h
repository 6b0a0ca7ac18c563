// SPDX-License-Identifier: Apache-2.0

// tools/holdfast/duration.h - durations as people write them.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::cli {

using Duration = std::chrono::nanoseconds;

// `500ms`, `3s`, `2m`, `1h`, `1d`; a plain number is in seconds; fractions are allowed.
// Empty: this is not a duration.
std::optional<Duration> parse_duration(std::string_view text);

// A length of time for a person: "850ms", "27s", "12m", "3h", "2d".
std::string format_duration(Duration span);

}  // namespace holdfast::cli

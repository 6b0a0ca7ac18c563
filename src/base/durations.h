// SPDX-License-Identifier: Apache-2.0

// base/durations.h - reads and writes durations such as "500ms", "3s" and "2m".

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "holdfast/result.h"

namespace holdfast::base {

// Reads a whole number with a unit: ms, s, m, h or d. Errc::bad_argument says what
// is wrong.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// Returns a text for people: "250 ms", "12 s", "4 min", "3 h".
std::string spell_duration(std::chrono::nanoseconds span);

}  // namespace holdfast::base

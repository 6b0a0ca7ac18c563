// base/durations.h - "500ms", "3s", "2m", "1h".

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "holdfast/result.h"

namespace holdfast::base {

// A whole number with a unit: ms, s, m, h. Errc::bad_argument says what is wrong.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

// For a person: "250 ms", "12 s", "4 min", "3 h".
std::string spell_duration(std::chrono::nanoseconds span);

}  // namespace holdfast::base

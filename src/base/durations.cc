// SPDX-License-Identifier: Apache-2.0

#include "base/durations.h"

#include <charconv>
#include <cstdint>

namespace holdfast::base {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
constexpr Unit kUnits[] = {
    {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

Failure bad(std::string_view text) {
  return {
      Errc::bad_argument,
      "\"" + std::string(text) + "\" is not a duration; write 500ms, 3s, 2m, 1h or 1d"};
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number < 0) return bad(text);

  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& known : kUnits) {
    if (unit != known.name) continue;
    std::int64_t product = 0;
    if (__builtin_mul_overflow(number, known.milliseconds, &product)) return bad(text);
    return std::chrono::milliseconds(product);
  }
  return bad(text);
}

std::string spell_duration(std::chrono::nanoseconds span) {
  using namespace std::chrono_literals;
  const auto in = [span](std::chrono::nanoseconds unit) {
    return std::to_string(span / unit);
  };
  if (span < 1s) return in(1ms) + " ms";
  if (span < 2min) return in(1s) + " s";
  if (span < 2h) return in(1min) + " min";
  return in(1h) + " h";
}

}  // namespace holdfast::base

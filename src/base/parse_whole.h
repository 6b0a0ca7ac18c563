// SPDX-License-Identifier: Apache-2.0

// base/parse_whole.h - a text that is a number and nothing else.
//
//   if (const auto port = base::parse_whole<std::uint16_t>("6379")) ...

#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace holdfast::base {

// Returns nothing if the text is empty, has something before or behind the digits, or
// does not fit. A minus is allowed where `Number` has a sign.
template <std::integral Number>
std::optional<Number> parse_whole(std::string_view text, int base = 10) noexcept {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

}  // namespace holdfast::base

// SPDX-License-Identifier: Apache-2.0

#include "base/percent.h"

namespace holdfast::base {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

bool has(std::string_view set, char c) noexcept {
  return set.find(c) != std::string_view::npos;
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

std::string percent_encode(std::string_view text, std::string_view also_plain) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string line;
  for (const char c : text) {
    if (has(kPlain, c) || has(also_plain, c)) {
      line += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      line += {'%', kDigits[byte >> 4], kDigits[byte & 0x0F]};
    }
  }
  return line;
}

}  // namespace holdfast::base

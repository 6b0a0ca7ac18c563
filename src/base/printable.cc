// SPDX-License-Identifier: Apache-2.0

#include <cstddef>

#include "holdfast/holder.h"

namespace holdfast::inline v0 {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0 means that it is not UTF-8
};

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  auto code = static_cast<char32_t>(lead & (0x7f >> bytes));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || is_surrogate) return {};
  return {code, bytes};
}

bool is_harmless(char32_t code) {
  const auto within = [code](char32_t from, char32_t to) {
    return code >= from && code <= to;
  };
  return !within(0, 0x1f) && !within(0x7f, 0x9f) && code != 0x61c &&
         !within(0x200e, 0x200f) &&                           // marks of direction
         !within(0x2028, 0x202e) && !within(0x2066, 0x2069);  // lines, overrides
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character first = first_of(text);
    if (first.bytes != 0 && is_harmless(first.code)) {
      out += text.substr(0, first.bytes);
    } else {
      out += '?';
    }
    text.remove_prefix(first.bytes != 0 ? first.bytes : 1);
  }
  return out;
}

}  // namespace holdfast::inline v0

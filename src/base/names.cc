// SPDX-License-Identifier: Apache-2.0

#include "holdfast/names.h"

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::inline v0 {
namespace {

struct Scalar {
  char32_t value;
  std::size_t bytes;
};

// Returns the character at `at`, or nothing where the bytes are not UTF-8: overlong
// forms, surrogates and numbers above U+10FFFF are not.
std::optional<Scalar> decode(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return Scalar{lead, 1};

  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (bytes == 0 || lead > 0xF4 || at + bytes > text.size()) return std::nullopt;

  auto value = static_cast<char32_t>(lead & (0xFF >> (bytes + 1)));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return std::nullopt;
    value = (value << 6) | (byte(at + i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[bytes] || value > 0x10FFFF) return std::nullopt;
  if (value >= 0xD800 && value <= 0xDFFF) return std::nullopt;
  return Scalar{value, bytes};
}

bool is_control(char32_t c) noexcept { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

Failure bad(const std::string& what) { return {Errc::bad_name, what}; }

}  // namespace

Result<void> check_name(std::string_view name) {
  if (name.empty()) return bad("the name is empty; give it 1 to 512 bytes");
  if (name.size() > kMaxNameBytes) {
    return bad("the name has " + std::to_string(name.size()) +
               " bytes; at most 512 are allowed");
  }
  for (std::size_t at = 0; at < name.size();) {
    const auto scalar = decode(name, at);
    if (!scalar) {
      return bad("the name is not valid UTF-8 at byte " + std::to_string(at + 1));
    }
    if (is_control(scalar->value)) {
      return bad("the name has a control character at byte " + std::to_string(at + 1));
    }
    at += scalar->bytes;
  }
  return {};
}

}  // namespace holdfast::inline v0

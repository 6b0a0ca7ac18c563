// SPDX-License-Identifier: Apache-2.0

#include "json.h"

#include <array>

namespace holdfast::cli {
namespace {

// Returns the length of the UTF-8 sequence at the head of `text`, or zero if it is not
// one.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned head = byte(0);
  if (head < 0x80) return 1;
  if (head >= 0xc2 && head < 0xe0 && tail(1)) return 2;
  if (head >= 0xe0 && head < 0xf0 && tail(1) && tail(2)) {
    const bool overlong = head == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = head == 0xed && byte(1) >= 0xa0;
    return overlong || surrogate ? 0 : 3;
  }
  if (head >= 0xf0 && head < 0xf5 && tail(1) && tail(2) && tail(3)) {
    const bool overlong = head == 0xf0 && byte(1) < 0x90;
    const bool too_large = head == 0xf4 && byte(1) >= 0x90;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

}  // namespace

Json& Json::begin(char bracket) {
  separate();
  text_ += bracket;
  open_ += bracket == '{' ? '}' : ']';
  first_ = true;
  return *this;
}

Json& Json::end() {
  text_ += open_.back();
  open_.pop_back();
  first_ = false;
  return *this;
}

Json& Json::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  first_ = true;
  return *this;
}

Json& Json::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

Json& Json::value(bool yes) { return raw(yes ? "true" : "false"); }
Json& Json::null() { return raw("null"); }

Json& Json::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

void Json::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

void Json::quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  text_ += '"';
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (c == '"' || c == '\\') {
      text_ += {'\\', static_cast<char>(c)};
    } else if (c < 0x20 || c == 0x7f) {
      text_ += {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
    } else if (length == 0) {
      text_ += "\\ufffd";
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace holdfast::cli

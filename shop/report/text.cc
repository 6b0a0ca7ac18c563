// SPDX-License-Identifier: Apache-2.0

#include "report/text.h"

#include <cstdarg>
#include <cstdio>

namespace holdfast::shop {

std::string printed(const char* format, ...) {
  va_list words;
  va_start(words, format);
  va_list again;
  va_copy(again, words);
  const int size = std::vsnprintf(nullptr, 0, format, words);
  va_end(words);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {
      quoted += printed("\\u%04x", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string grouped(double number, int decimals) {
  std::string text = printed("%.*f", decimals, number);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  std::size_t end = text.find('.');
  if (end == text.npos) end = text.size();
  while (end > first + 3) text.insert(end -= 3, 1, ',');
  return text;
}

std::string ms_text(double time) { return grouped(time, time < 10 ? 2 : 1); }

}  // namespace holdfast::shop

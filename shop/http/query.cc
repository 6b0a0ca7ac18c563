// SPDX-License-Identifier: Apache-2.0

#include "http/query.h"

#include <charconv>

namespace holdfast::shop {
namespace {

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char code = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const char* const end = text.data() + i + 3;
      if (std::from_chars(text.data() + i + 1, end, code, 16).ptr == end) {
        plain += static_cast<char>(code);
        i += 2;
        continue;
      }
    }
    plain += text[i] == '+' ? ' ' : text[i];
  }
  return plain;
}

}  // namespace

std::string_view path_of(std::string_view target) noexcept {
  return target.substr(0, target.find('?'));
}

std::optional<std::string> query_value(std::string_view target, std::string_view key) {
  std::string_view rest = target.substr(path_of(target).size());
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the ? or the &
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(pair.size());
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) == key) {
      return equals == pair.npos ? "" : decoded(pair.substr(equals + 1));
    }
  }
  return std::nullopt;
}

}  // namespace holdfast::shop

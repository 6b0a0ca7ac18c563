// SPDX-License-Identifier: Apache-2.0

#include "load/answer.h"

#include <charconv>
#include <optional>

namespace holdfast::shop {
namespace {

constexpr std::size_t kLargestHeader = std::size_t{16} * 1024;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the value of a header, or nothing.
std::optional<std::string_view> header(std::string_view lines, std::string_view name) {
  while (!lines.empty()) {
    const std::size_t end = lines.find("\r\n");
    const std::string_view line = lines.substr(0, end);
    lines = end == lines.npos ? std::string_view() : lines.substr(end + 2);
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !same_word(line.substr(0, colon), name)) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    return value;
  }
  return std::nullopt;
}

}  // namespace

Answer read_answer(std::string_view bytes) {
  constexpr std::string_view kStart = "HTTP/1.1 ";
  constexpr std::string_view kEnd = "\r\n\r\n";
  Answer answer;
  const std::size_t end = bytes.find(kEnd);
  if (end == bytes.npos) {
    answer.broken = bytes.size() > kLargestHeader;
    return answer;
  }
  const std::string_view head = bytes.substr(0, end);
  const auto status = number_in<int>(head.substr(0, 12).substr(
      head.starts_with(kStart) ? kStart.size() : head.substr(0, 12).size()));
  const auto length =
      number_in<std::size_t>(header(head, "Content-Length").value_or(""));
  if (!status || !length) {
    answer.broken = true;
    return answer;
  }
  answer.status = *status;
  answer.keep_alive = !same_word(header(head, "Connection").value_or(""), "close");
  const std::size_t start = end + kEnd.size();
  if (bytes.size() - start < *length) return answer;
  answer.length = start + *length;
  answer.body = bytes.substr(start, *length);
  return answer;
}

}  // namespace holdfast::shop

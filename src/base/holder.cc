// SPDX-License-Identifier: Apache-2.0

#include "holdfast/holder.h"

#include <algorithm>

#include "base/parse_whole.h"

namespace holdfast::inline v0 {
namespace {

constexpr std::size_t kMost = 256;         // Every engine has room for so much.
constexpr std::size_t kMostFunction = 96;  // A description still fits beside it.
constexpr std::string_view kThread = " #thread ";
constexpr std::string_view kFunction = " #function ";
constexpr std::string_view kDescription = " #description ";

// Cuts `mark` and everything behind it off the end of `text`, and returns what was
// behind it.
std::string take_behind(std::string_view mark, std::string_view& text) {
  const auto found = text.find(mark);
  if (found == std::string_view::npos) return {};
  std::string behind(text.substr(found + mark.size()));
  text = text.substr(0, found);
  return behind;
}

// Returns the first `bytes` of the text, without a part of a UTF-8 character at the
// end.
std::string_view cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
  };
  while (bytes > 0 && continues(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

void append(std::string& payload, std::string_view mark, std::string_view value,
            std::size_t most) {
  if (value.empty() || payload.size() + mark.size() >= kMost) return;
  value = cut(value, std::min(most, kMost - payload.size() - mark.size()));
  payload += mark;
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    payload += code < 0x20 || code == 0x7f ? '?' : c;
  }
}

void read_process(Holder& holder) {
  const std::string_view text = holder.text;
  const auto first = text.find(':');
  if (first == std::string_view::npos) return;
  const auto second = text.find(':', first + 1);
  if (second == std::string_view::npos) return;  // This may be "host:port".
  const auto pid =
      base::parse_whole<std::uint64_t>(text.substr(first + 1, second - first - 1));
  if (!pid) return;
  holder.host = text.substr(0, first);
  holder.pid = *pid;
  holder.program = text.substr(second + 1);
}

}  // namespace

Holder read_holder(std::string_view payload) {
  Holder holder;
  holder.description = take_behind(kDescription, payload);
  holder.function = take_behind(kFunction, payload);
  holder.thread = take_behind(kThread, payload);
  holder.text = payload;
  read_process(holder);
  return holder;
}

std::string write_holder(const Holder& holder) {
  std::string payload = holder.text;
  append(payload, kThread, holder.thread, kMost);
  append(payload, kFunction, holder.function, kMostFunction);
  append(payload, kDescription, holder.description, kMost);
  return payload;
}

std::string circumstances(const Holder& holder) {
  std::string text;
  const auto add = [&](std::string_view before, const std::string& value,
                       std::string_view after) {
    if (value.empty()) return;
    if (!text.empty()) text += ", ";
    text.append(before).append(printable(value)).append(after);
  };
  add("thread ", holder.thread, "");
  add("in ", holder.function, "");
  add("for \"", holder.description, "\"");
  return text;
}

}  // namespace holdfast::inline v0

// SPDX-License-Identifier: Apache-2.0

// engines/redis/transport/command.h - requests in Redis's wire format.
//
//   std::string out;
//   Command(out, 3).add("SET").add(key).add(42);
//
// A Command appends to `out`, so that several commands can go out in one write.

#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::redis {

// Digits is a number in decimal digits. It needs no memory of its own.
class Digits {
 public:
  explicit Digits(std::integral auto number) noexcept
      : size_(static_cast<std::size_t>(
            std::to_chars(text_, text_ + sizeof text_, number).ptr - text_)) {}
  operator std::string_view() const noexcept {  // NOLINT: it is this text
    return {text_, size_};
  }

 private:
  char text_[24];
  std::size_t size_;
};

class Command {
 public:
  // Exactly `words` calls of `add` must follow.
  Command(std::string& out, std::size_t words) : out_(out) { head(out, '*', words); }

  // Adds one word, which is made of one or more pieces.
  template <std::convertible_to<std::string_view>... Pieces>
  Command& add(const Pieces&... pieces) {
    append_word(out_, pieces...);
    return *this;
  }

  Command& add(std::integral auto number) { return add(Digits(number)); }

  template <std::convertible_to<std::string_view>... Pieces>
  static void append_word(std::string& out, const Pieces&... pieces) {
    head(out, '$', (std::string_view(pieces).size() + ...));
    (out.append(std::string_view(pieces)), ...);
    out.append("\r\n");
  }

 private:
  static void head(std::string& out, char type, std::size_t count) {
    out.push_back(type);
    out.append(Digits(count)).append("\r\n");
  }

  std::string& out_;
};

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/receipt_text.h"

#include <charconv>
#include <utility>

namespace holdfast::kit {

std::string receipt_text(std::string ticket, std::optional<std::int64_t> number) {
  std::string text = std::move(ticket);
  if (number) text += " " + std::to_string(*number);
  return text;
}

std::optional<engine::Value> read_receipt_text(std::string_view text,
                                               std::string_view ticket,
                                               std::uint64_t version) {
  if (!text.starts_with(ticket)) return std::nullopt;
  text.remove_prefix(ticket.size());
  if (text.empty()) return engine::Value{};
  if (text.front() != ' ') return std::nullopt;
  engine::Value value{.version = version};
  std::from_chars(text.data() + 1, text.data() + text.size(), value.number);
  return value;
}

}  // namespace holdfast::kit

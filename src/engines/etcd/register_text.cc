// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/register_text.h"

#include <string_view>

#include "base/parse_whole.h"

namespace holdfast::etcd {
namespace {

using engine::Kind;

constexpr std::string_view kCount = "count ";
constexpr std::string_view kLatch = "latch ";

std::string_view word_of(RegisterFormat format) noexcept {
  switch (format) {
    case RegisterFormat::shared_count:
      return kCount;
    case RegisterFormat::latch:
      return kLatch;
    default:
      return "";
  }
}

std::optional<std::int64_t> number_behind(std::string_view word,
                                          std::string_view text) {
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  return base::parse_whole<std::int64_t>(text);
}

}  // namespace

std::optional<engine::Value> read_register(RegisterFormat format,
                                           const wire::KeyValue* kv) {
  if (kv == nullptr) return engine::Value{};
  engine::Value value{.version = static_cast<std::uint64_t>(kv->mod_revision())};
  if (format == RegisterFormat::barrier) {
    if (holds_a_number(kv)) return std::nullopt;
    value.number = 1;
    return value;
  }
  std::string_view text = kv->value();
  if (format == RegisterFormat::permits && text.find(' ') != std::string_view::npos) {
    if (read_note(kv->value()) == 0) return std::nullopt;
    text = text.substr(0, text.find(' '));
  }
  const auto number = number_behind(word_of(format), text);
  if (!number) return std::nullopt;
  value.number = *number;
  return value;
}

std::string register_text(RegisterFormat format, std::int64_t number) {
  if (format == RegisterFormat::barrier) return "";
  return std::string(word_of(format)) + std::to_string(number);
}

std::int64_t read_note(const std::string& value) {
  const auto space = value.find(' ');
  if (space == std::string::npos) return 0;
  return number_behind(" ", std::string_view(value).substr(space)).value_or(0);
}

std::optional<Kind> kind_of_number(const std::string& value) {
  if (number_behind("", value)) return Kind::counter;
  if (number_behind(kCount, value)) return Kind::shared_count;
  if (number_behind(kLatch, value)) return Kind::latch;
  return std::nullopt;
}

bool holds_a_number(const wire::KeyValue* kv) {
  return kv != nullptr && kind_of_number(kv->value()).has_value();
}

}  // namespace holdfast::etcd

// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/names.h"

#include <charconv>

#include "base/fnv1a.h"
#include "base/ids.h"

namespace holdfast::mysql {
namespace {

constexpr std::size_t kDigits = 20;  // of the largest number
constexpr std::size_t kHexDigits = 16;

// Appends a number, with zeros before it if it has fewer digits than `width`.
void append(std::string& text, std::uint64_t number, int base, std::size_t width = 1) {
  std::array<char, kDigits> digits{};
  const char* const end =
      std::to_chars(digits.data(), digits.data() + kDigits, number, base).ptr;
  const auto length = static_cast<std::size_t>(end - digits.data());
  if (length < width) text.append(width - length, '0');
  text.append(digits.data(), length);
}

std::string hex(std::uint64_t number) {
  std::string text;
  append(text, number, 16);
  return text;
}

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

}  // namespace

Names::Names(const std::array<std::uint8_t, 16>& client, std::string_view database)
    : client_(without_dashes(base::to_string(client))),
      bell_prefix_("holdfast:" + hex(base::fnv1a(database)) + ":") {}

// An owner and a bell are made for every lock call, so each allocates once.
std::string Names::owner_of(engine::Ticket ticket) const {
  std::string owner;
  owner.reserve(client_.size() + 1 + kHexDigits);
  owner.append(client_).append(1, ':');
  append(owner, static_cast<std::uint64_t>(ticket), 16, kHexDigits);
  return owner;
}

std::string Names::bell_of(std::uint64_t resource, std::uint64_t epoch) const {
  std::string bell;
  bell.reserve(bell_prefix_.size() + kDigits + 1 + kDigits);
  bell.append(bell_prefix_);
  append(bell, resource, 10);
  bell.append(1, ':');
  append(bell, epoch, 10);
  return bell;
}

}  // namespace holdfast::mysql

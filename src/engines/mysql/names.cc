// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/names.h"

#include <charconv>

#include "base/ids.h"

namespace holdfast::mysql {
namespace {

std::string hex(std::uint64_t number) {
  std::array<char, 17> digits{};
  std::to_chars(digits.data(), digits.data() + 16, number, 16);
  return digits.data();
}

std::string hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return hex(hash);
}

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

}  // namespace

Names::Names(const std::array<std::uint8_t, 16>& client, std::string_view database)
    : client_(without_dashes(base::to_string(client))),
      bell_prefix_("holdfast:" + hash_of(database) + ":") {}

std::string Names::owner_of(engine::Ticket ticket) const {
  const std::string number = hex(static_cast<std::uint64_t>(ticket));
  return client_ + ":" + std::string(16 - number.size(), '0') + number;
}

std::string Names::bell_of(std::uint64_t resource, std::uint64_t epoch) const {
  return bell_prefix_ + std::to_string(resource) + ":" + std::to_string(epoch);
}

}  // namespace holdfast::mysql

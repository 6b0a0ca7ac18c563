// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/slot.h"

#include <array>

namespace holdfast::redis {
namespace {

// CRC-16/XMODEM: the polynomial 0x1021, no reflection, initial value zero.
constexpr std::array<std::uint16_t, 256> make_table() noexcept {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x8000) ? 0x1021 : 0);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}

std::uint16_t crc16(std::string_view bytes) noexcept {
  static constexpr auto kTable = make_table();
  std::uint16_t crc = 0;
  for (const char byte : bytes) {
    const auto at =
        static_cast<std::uint8_t>((crc >> 8) ^ static_cast<std::uint8_t>(byte));
    crc = static_cast<std::uint16_t>((crc << 8) ^ kTable[at]);
  }
  return crc;
}

std::string_view hashed_part(std::string_view key) noexcept {
  const auto open = key.find('{');
  if (open == std::string_view::npos) return key;
  const auto close = key.find('}', open);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

std::array<std::string, kSlots> make_tags() {
  std::array<std::string, kSlots> tags;
  std::size_t missing = kSlots;
  for (unsigned number = 0; missing > 0; ++number) {
    std::string digits = std::to_string(number);
    std::string& tag = tags[slot_of(digits)];
    if (!tag.empty()) continue;
    tag = std::move(digits);
    --missing;
  }
  return tags;
}

}  // namespace

Slot slot_of(std::string_view key) noexcept {
  return static_cast<Slot>(crc16(hashed_part(key)) % kSlots);
}

const std::string& tag_of(Slot slot) {
  static const auto kTags = make_tags();
  return kTags[slot % kSlots];
}

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/hand_over.h"

#include <algorithm>
#include <charconv>

namespace holdfast::redis {
namespace {

// Numbers of a script are exact up to here; differences of such times cannot overflow.
constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 53;

// Reads a number and the blank before it.
bool read_number(std::string_view& text, std::uint64_t& number) noexcept {
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return error == std::errc{} && number <= kLargestNumber;
}

}  // namespace

std::optional<HandOver> read_hand_over(std::string_view text) noexcept {
  std::uint64_t token = 0;
  std::uint64_t tokens = 0;
  std::uint64_t granted = 0;
  std::uint64_t lease = 0;
  for (std::uint64_t* const each : {&token, &tokens, &granted, &lease}) {
    if (!read_number(text, *each)) return std::nullopt;
  }
  constexpr std::uint64_t kDay = 86'400'000;
  return HandOver{.token = {token},
                  .tokens = static_cast<std::uint32_t>(tokens),
                  .granted = std::chrono::microseconds(granted),
                  .lease = std::chrono::milliseconds(std::min(lease, kDay))};
}

Clock::time_point ServerTime::of_grant(const HandOver& grant,
                                       Clock::time_point heard) const noexcept {
  return std::min(sent + (grant.granted - time), heard);
}

}  // namespace holdfast::redis

// SPDX-License-Identifier: Apache-2.0

// base/kind.h - the names of the kinds, and which of them are claims.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/engine/claim.h"

namespace holdfast::base {

inline constexpr std::array<std::string_view, 10> kKindNames{
    "mutex",          "fair_mutex", "shared_mutex", "semaphore", "election",
    "double_barrier", "latch",      "barrier",      "counter",   "shared_count"};

// Returns the name for a sentence: "fair mutex".
inline std::string kind_in_words(engine::Kind kind) {
  std::string words(kKindNames[static_cast<std::size_t>(kind)]);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

// Claims end with their owner; the other kinds are numbers, which stay.
constexpr bool is_claim_kind(engine::Kind kind) noexcept {
  return kind <= engine::Kind::double_barrier;
}

}  // namespace holdfast::base

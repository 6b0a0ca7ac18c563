// SPDX-License-Identifier: Apache-2.0

// base/fnv1a.h - a hash that is the same in every process, whatever its standard
// library.

#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::base {

// Returns the hash FNV-1a in 64 bits.
constexpr std::uint64_t fnv1a(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace holdfast::base

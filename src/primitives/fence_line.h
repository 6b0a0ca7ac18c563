// SPDX-License-Identifier: Apache-2.0

// primitives/fence_line.h - a token as a line of text with a checksum.
//
//   holdfast-fence 1 00000000000000000184 8c1f0d5e2b7a9934

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/hold.h"

namespace holdfast::primitives {

inline constexpr std::size_t kFenceLineBytes = 64;  // padded, ends with a newline

std::string write_fence_line(FencingToken token);

// Returns nothing if the line is damaged, of another version or not ours at all.
std::optional<FencingToken> read_fence_line(std::string_view line);

}  // namespace holdfast::primitives

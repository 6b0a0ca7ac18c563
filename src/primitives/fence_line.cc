// SPDX-License-Identifier: Apache-2.0

#include "primitives/fence_line.h"

#include <cinttypes>
#include <cstdio>

#include "base/fnv1a.h"

namespace holdfast::primitives {

std::string write_fence_line(FencingToken token) {
  char text[kFenceLineBytes];
  std::snprintf(text, sizeof text, "holdfast-fence 1 %020" PRIu64, token.value);
  std::string line = text;
  std::snprintf(text, sizeof text, " %016" PRIx64, base::fnv1a(line));
  line += text;
  line.resize(kFenceLineBytes - 1, ' ');
  return line + '\n';
}

std::optional<FencingToken> read_fence_line(std::string_view line) {
  constexpr std::string_view kBegin = "holdfast-fence 1 ";
  if (line.size() != kFenceLineBytes || !line.starts_with(kBegin)) return std::nullopt;
  FencingToken token;
  for (const char c : line.substr(kBegin.size(), 20)) {
    if (c < '0' || c > '9') return std::nullopt;
    token.value = token.value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (line != write_fence_line(token)) return std::nullopt;
  return token;
}

}  // namespace holdfast::primitives

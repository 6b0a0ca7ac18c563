// SPDX-License-Identifier: Apache-2.0

#include "engines/kit/register_loop.h"

namespace holdfast::kit {

std::optional<Decision> decide_add(const engine::Value& now, std::int64_t by,
                                   bool is_latch) noexcept {
  if (now.version == 0 && is_latch) return Decision{.change = false};
  std::int64_t sum = 0;
  if (__builtin_add_overflow(now.number, by, &sum)) return std::nullopt;
  if (is_latch && sum <= 0) return Decision{.change = true, .to = std::nullopt};
  return Decision{.change = true, .to = sum};
}

Decision decide_exchange(const engine::Value& now, const engine::Value& from,
                         std::optional<std::int64_t> to) noexcept {
  if (!engine::matches(from, now)) return {.change = false};
  return {.change = now.version != 0 || to.has_value(), .to = to, .done = true};
}

}  // namespace holdfast::kit

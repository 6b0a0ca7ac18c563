// engines/local/futex.h - sleeping on a word of shared memory.

#pragma once

#include <chrono>
#include <cstdint>

#include "engines/local/shared.h"
#include "holdfast/engine/claim.h"

namespace holdfast::local {

using Word = Shared<std::uint32_t>;

// Returns when woken, when `word` is not `seen`, at the deadline, or without cause.
void futex_wait(const Word& word, std::uint32_t seen, engine::Deadline until) noexcept;

// The same on two words at once. False: this kernel cannot (before Linux 5.16), or may
// not, and nothing was waited for.
bool futex_wait_either(const Word& a, std::uint32_t seen_a, const Word& b,
                       std::uint32_t seen_b, engine::Deadline until) noexcept;

void futex_wake(const Word& word, int sleepers = 1) noexcept;

}  // namespace holdfast::local

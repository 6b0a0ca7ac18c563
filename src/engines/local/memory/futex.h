// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/futex.h - sleeps on a word of shared memory.

#pragma once

#include <chrono>
#include <cstdint>

#include "engines/local/memory/shared.h"
#include "holdfast/engine/claim.h"

namespace holdfast::local {

using Word = Shared<std::uint32_t>;

// Returns when the thread is woken, when `word` is not `seen`, at the deadline, or
// spuriously.
void futex_wait(const Word& word, std::uint32_t seen, engine::Deadline until) noexcept;

// Waits on two words at once. Returns false without waiting if the kernel (before Linux
// 5.16) or a sandbox does not offer the system call.
bool futex_wait_either(const Word& a, std::uint32_t seen_a, const Word& b,
                       std::uint32_t seen_b, engine::Deadline until) noexcept;

void futex_wake(const Word& word, int sleepers = 1) noexcept;

}  // namespace holdfast::local

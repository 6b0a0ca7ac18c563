// SPDX-License-Identifier: Apache-2.0

// bench/counting_new.h - operator new of this program, counted.

#pragma once

#include <cstdint>

namespace holdfast::bench {

// Returns how often any thread has allocated memory since the start.
std::int64_t allocations_so_far() noexcept;

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// bench/trace.h - what a thread asks of the kernel between two marks, by strace.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::bench {

struct Traced {
  std::int64_t calls = 0;
  std::int64_t sent = 0;  // the calls that write to a socket, each the start of a round
                          // trip
};

// Makes a system call that means nothing, in the process that is traced.
void mark();

// Runs a role of this program under strace and returns what its marking thread did
// between the first mark and the second, the third and the fourth, and so on. Nothing
// means that strace is missing or may not trace. Throws std::runtime_error when the
// role fails.
std::optional<std::vector<Traced>> trace(const std::vector<std::string>& role,
                                         const std::string& dir);

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// bench/usage.h - what a process has in use.

#pragma once

#include <sys/types.h>

#include <string>

namespace holdfast::bench {

// Returns the bytes of this process that malloc has given out, in all its arenas.
double heap_bytes();

double threads_of(pid_t pid);  // throws std::runtime_error if the process has ended

}  // namespace holdfast::bench

// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/process.h - tells whether a process that was killed has really
// ended.
//
// The kernel ends the threads of a process one by one. One of them may have to finish a
// system call first, a write to a disk for example, while another has ended already.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

namespace holdfast::local {

// Returns when this process was started, in the units of /proc, or 0 if that cannot be
// read. The pid and this time together name the process, which a bare pid does not.
std::uint64_t own_birth() noexcept;

// Returns whether that process is still there after `limit`. It returns false also
// if the process cannot be seen. Where /proc shows this user no other processes, the
// pid alone counts.
bool is_dying(pid_t pid, std::uint64_t birth, std::chrono::milliseconds limit) noexcept;

}  // namespace holdfast::local

// engines/local/process.h - whether a process that was killed has really ended.
//
// The kernel ends the threads of a process one by one. One of them may have to finish a
// system call first, a write to a disk for example, while another has ended already.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

namespace holdfast::local {

// When this process was started, in the units of /proc; 0: that cannot be read. With
// its pid it names the process, which a bare pid does not.
std::uint64_t own_birth() noexcept;

// Whether that process is still there after `patience`. False also if it cannot be
// seen; where /proc shows this user no others, the pid alone counts.
bool is_dying(pid_t pid, std::uint64_t birth,
              std::chrono::milliseconds patience) noexcept;

}  // namespace holdfast::local

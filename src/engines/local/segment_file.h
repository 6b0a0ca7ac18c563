// engines/local/segment_file.h - opening the file of a segment, or making it.
//
// Opening checks before it trusts: a regular file for the users that the URL says,
// whole, with our magic and version. Anything else is left untouched and explained. A
// new file is made aside and linked in when it is complete, so nobody sees half of one.

#pragma once

#include <array>
#include <cstddef>

#include "engines/local/options.h"
#include "holdfast/result.h"

namespace holdfast::local {

// A descriptor, which the caller closes.
Result<int> open_segment_file(const Options& options);

// Reserves disk blocks, so that a full disk is an error here and not a SIGBUS later: 0,
// or the error.
int reserve(int fd, std::size_t from, std::size_t to) noexcept;

// The kernel's name for the time since the host was started. If it cannot be read, that
// is an error and not another boot.
using BootId = std::array<char, 40>;
inline constexpr const char* kBootIdFile = "/proc/sys/kernel/random/boot_id";
Result<BootId> boot_id();

}  // namespace holdfast::local

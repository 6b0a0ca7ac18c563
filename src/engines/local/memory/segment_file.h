// SPDX-License-Identifier: Apache-2.0

// engines/local/memory/segment_file.h - opens the file of a segment, or creates it.
//
// Opening checks before it trusts: the file must be a regular file for the users that
// the URL says, complete, with our magic and version. Any other file is left untouched,
// and the error explains it. A new file is created aside and linked to its name when it
// is complete, so no process sees an incomplete one.

#pragma once

#include <array>
#include <cstddef>

#include "engines/local/options.h"
#include "holdfast/result.h"

namespace holdfast::local {

// Returns a descriptor, which the caller closes.
Result<int> open_segment_file(const Options& options);

// Reserves disk blocks, so that a full disk is an error here and not a SIGBUS later.
// Returns 0 or the error.
int reserve(int fd, std::size_t from, std::size_t to) noexcept;

// This is the kernel's id of the present boot of the host. If it cannot be read, that
// is an error and does not count as another boot.
using BootId = std::array<char, 40>;
inline constexpr const char* kBootIdFile = "/proc/sys/kernel/random/boot_id";
Result<BootId> boot_id();

}  // namespace holdfast::local

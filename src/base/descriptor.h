// SPDX-License-Identifier: Apache-2.0

// base/descriptor.h - opens files whose descriptors no other code writes to by mistake.

#pragma once

#include <string>

namespace holdfast::base {

// Moves a descriptor away from 0, 1 and 2, because a program that has closed its stdout
// may still write there. Returns -1 with errno if it was -1 or cannot be moved.
int above_stdio(int fd) noexcept;

// Opens the file behind `fd` once more, with locks of its own: a child of fork() shares
// the locks of `fd` with its parent. `path` is where the file was. Returns -1 with
// errno on failure.
int open_again(int fd, const std::string& path) noexcept;

// Whether this process may open another descriptor now.
bool can_open_more() noexcept;

}  // namespace holdfast::base

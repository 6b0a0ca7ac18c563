// base/descriptor.h - opening files that others must not write to by mistake.

#pragma once

#include <string>

namespace holdfast::base {

// The descriptor, moved away from 0, 1 and 2 if it is one of them: a program that has
// closed its stdout still writes there. -1, with errno: it was -1, or cannot be moved.
int above_stdio(int fd) noexcept;

// The file behind `fd` once more, with locks of its own: not those of `fd`, which a
// child of fork() shares with its parent. `path` is where it was. -1, with errno.
int open_again(int fd, const std::string& path) noexcept;

}  // namespace holdfast::base

// SPDX-License-Identifier: Apache-2.0

// engines/local/errors.h - the errors of system calls on a segment's file.

#pragma once

#include <string>

#include "holdfast/result.h"

namespace holdfast::local {

// The message is "cannot WHAT PATH: ...", with the text of the system call's error.
Failure os_failure(const std::string& what, const std::string& path, int error);

// The message says that the file is not what it should be.
Failure refuse(const std::string& path, const std::string& why);

}  // namespace holdfast::local

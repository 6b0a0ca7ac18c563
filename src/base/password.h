// SPDX-License-Identifier: Apache-2.0

// base/password.h - reads a password from the URL, a file or the environment.

#pragma once

#include <string>

#include "base/secret.h"
#include "holdfast/result.h"

namespace holdfast::base {

// Returns the URL's password, else the first line of `file` if one is named, else the
// environment's `variable`, else none. Errc::denied means that the file cannot be read.
Result<Secret> read_password(const Secret& in_url, const std::string& file,
                             const char* variable = "HOLDFAST_PASSWORD");

}  // namespace holdfast::base
